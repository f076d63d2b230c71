#include "manager/hypervisor/libvirt_hypervisor.hpp"

#include <chrono>
#include <future>
#include <thread>

#include "manager/hypervisor/action_dispatch.hpp"
#include "manager/hypervisor/backend.hpp"
#include "manager/hypervisor/event_desk.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/inspection.hpp"
#include "manager/hypervisor/node_facts.hpp"
#include "manager/hypervisor/saved_image.hpp"
#include "manager/hypervisor/vm_statistics.hpp"

namespace aliquot {
namespace {

TaskDomainSettings common_settings(const LibvirtSetup& setup) {
  return {setup.cluster,
          setup.epoch,
          Spool(setup.spool_dir),
          GuestFiles(setup.hypervisor.guest_dir),
          setup.hypervisor.cap_period,
          setup.max_output};
}

// Waits for a call's answer, but not for ever.
template <class T>
Result<T> wait_for(Backend& backend, NodeId id, LaneName lane, Duration patience, const CallKey& key,
                   std::function<Result<T>(Connection&)> work) {
  NodeWorker* worker = backend.node(id);
  if (worker == nullptr) {
    return fail(ErrorKind::invalid_argument, "there is no node " + std::to_string(id.raw));
  }
  auto promise = std::make_shared<std::promise<Result<T>>>();
  auto answer = promise->get_future();
  worker->call<T>(lane, key, std::move(work),
                  [promise](Result<T> result) { promise->set_value(std::move(result)); });
  if (answer.wait_for(std::chrono::microseconds(patience.raw)) != std::future_status::ready) {
    return fail(ErrorKind::timeout, "node " + worker->settings().name + ": no answer in time to: " +
                                        key.what + "; ask again, or look after libvirtd there");
  }
  return answer.get();
}

}  // namespace

std::vector<VmSample> Backend::samples(NodeId node, const std::vector<DomainReading>& readings) const {
  std::vector<VmSample> samples;
  for (const DomainReading& each : readings) {
    const auto vm = registry.identity(each.uuid);
    if (!vm) continue;
    const std::int64_t run = std::int64_t{node.raw} << 32 | each.domain_id;
    samples.push_back(
        {vm->job, vm->task, vm->incarnation, run, node, each.vcpus, each.cpu, each.waited, each.throttled});
  }
  return samples;
}

LibvirtHypervisor::LibvirtHypervisor(LibvirtSetup setup, Sink sink)
    : backend_(std::make_shared<Backend>(common_settings(setup), std::move(sink), setup.measures)),
      watchdog_(std::make_shared<Watchdog>()),
      desk_(Lane::start("events", 1, watchdog_, [](const LaneCall&) {})) {
  for (std::uint32_t i = 0; i < setup.nodes.size(); ++i) {
    backend_->accelerations.push_back(
        std::make_shared<AccelerationChoice>(setup.hypervisor.acceleration, backend_->common));
  }
  // Listeners hold no share of the backend, for it owns the nodes they listen to.
  const std::weak_ptr<Backend> weak = backend_;
  for (std::uint32_t i = 0; i < setup.nodes.size(); ++i) {
    const NodeId id{i};
    NodeWorker::Listener listener;
    listener.on_state = [weak, id](NodeState state, const std::string& why) {
      if (const auto backend = weak.lock()) backend->outlet.post(NodeChanged{id, state, why});
    };
    listener.on_event = [weak, id, desk = desk_](const Uuid& vm, NodeEvent event) {
      if (const auto backend = weak.lock()) hand_to_desk(*desk, backend, id, vm, event);
    };
    listener.on_call = [weak](const CallReport& report) {
      const auto backend = weak.lock();
      if (!backend || !backend->measures.call) return;
      backend->outlet.while_open([&] { backend->measures.call(report); });
    };
    backend_->nodes.push_back(
        NodeWorker::start(id, setup.nodes[i], setup.hypervisor, watchdog_, std::move(listener)));
  }
}

LibvirtHypervisor::~LibvirtHypervisor() {
  backend_->outlet.close();
  {
    // Side by side: each waits a moment for calls that may never return.
    std::vector<std::jthread> stopping;
    for (const auto& node : backend_->nodes) stopping.emplace_back([node] { node->stop(); });
  }
  desk_->stop();
  watchdog_->stop();
}

void LibvirtHypervisor::perform(const Action& action, std::shared_ptr<const JobSheet> sheet) {
  dispatch(backend_, action, sheet);
}

void LibvirtHypervisor::inspect(std::vector<VmQuery> queries) { inspect_vms(backend_, std::move(queries)); }

void LibvirtHypervisor::sample(NodeId node, SampleSink done) {
  NodeWorker* worker = backend_->node(node);
  if (worker == nullptr) return done(node, {});
  using Readings = std::vector<DomainReading>;
  worker->call<Readings>(
      LaneName::watch, {{}, {}, "read the counters of its VMs", "statistics"},
      [backend = backend_](Connection& connection) {
        return cpu_readings(connection, backend->throttling);
      },
      [backend = backend_, node, done = std::move(done)](const Result<Readings>& readings) {
        auto samples = backend->samples(node, readings.value_or(Readings{}));
        backend->outlet.while_open([&] { done(node, std::move(samples)); });
      });
}

void LibvirtHypervisor::on_departure(SampleSink sink) { backend_->departures = std::move(sink); }

Result<NodeFacts> LibvirtHypervisor::node_facts(NodeId node, Duration patience, bool probe) {
  auto facts =
      wait_for<NodeFacts>(*backend_, node, LaneName::watch, patience, {{}, {}, "tell what it is", "facts"},
                          [](Connection& connection) { return read_node_facts(connection); });
  if (!facts) return facts;
  const auto choice = backend_->accelerations[node.raw];
  auto known = choice->known();
  if (!known && probe) {
    known = wait_for<Acceleration>(*backend_, node, LaneName::slow, patience,
                                   {{}, {}, "boot guests under KVM", "probe"},
                                   [choice](Connection& connection) { return choice->get(connection); });
  }
  if (!known) {
    facts->acceleration = "not probed yet";
  } else if (!*known) {
    facts->acceleration = "none";
  } else {
    facts->acceleration = **known == Acceleration::kvm ? "kvm" : "emulation";
  }
  facts->note = choice->why();
  return facts;
}

Result<std::vector<StandingVm>> LibvirtHypervisor::list_domains(NodeId node, Duration patience) {
  const auto found = wait_for<std::vector<FoundDomain>>(
      *backend_, node, LaneName::watch, patience, {{}, {}, "list its VMs", "list"},
      [cluster = backend_->common->cluster](Connection& at) { return cluster_domains(at, cluster); });
  if (!found) return tl::unexpected(found.error());
  std::vector<StandingVm> out;
  for (const FoundDomain& each : *found) {
    backend_->registry.found(each.uuid, each.identity, node, each.fact);
    out.push_back({each.identity, each.fact});
  }
  return out;
}

void LibvirtHypervisor::forget(JobId job) {
  backend_->registry.forget(job);
  (void)remove_file(backend_->common->spool.initrd(job));
  remove_all_images(backend_->common->spool, job);
}

}  // namespace aliquot
