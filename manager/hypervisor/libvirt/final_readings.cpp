#include "manager/hypervisor/libvirt/final_readings.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "manager/hypervisor/libvirt/vm_statistics.hpp"

namespace aliquot {

void report_counters(Backend& backend, const Uuid& vm, NodeId node, Connection& connection) {
  if (!backend.departures) return;
  const auto readings = vm_readings(node, connection, backend.vcpus, AskGuests::no, vm);
  if (!readings) return;
  auto samples = backend.samples(node, *readings);
  if (samples.empty()) return;
  backend.events.while_open([&] { backend.departures(node, std::move(samples)); });
}

FinalReadings::FinalReadings(std::shared_ptr<Backend> backend, const Uuid& vm, NodeId node,
                             Connection& connection) {
  static constexpr std::chrono::milliseconds kEvery{50};
  report_counters(*backend, vm, node, connection);
  thread_ = std::jthread([backend = std::move(backend), vm, node, &connection](std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, stop, kEvery, [&] { return stop.stop_requested(); }))
      report_counters(*backend, vm, node, connection);
  });
}

}  // namespace aliquot
