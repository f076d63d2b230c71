// What the parts of the libvirt backend share: the settings, the nodes, the registry, the way out for
// events. Owned together by LibvirtHypervisor and by calls under way, which may outlive it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "manager/hypervisor/acceleration.hpp"
#include "manager/hypervisor/hypervisor.hpp"
#include "manager/hypervisor/node_worker.hpp"
#include "manager/hypervisor/task_domain.hpp"
#include "manager/hypervisor/throttling.hpp"
#include "manager/hypervisor/vm_registry.hpp"
#include "manager/hypervisor/vm_statistics.hpp"

namespace aliquot {

// The sink, until it is closed: nothing gets out after that, even from a call that returns much later. The
// sink must not call the hypervisor back.
class Outlet {
 public:
  explicit Outlet(Hypervisor::Sink sink) : sink_(std::move(sink)) {}
  void post(Event event) {
    const std::lock_guard lock(mutex_);
    if (sink_) sink_(std::move(event));
  }
  // For answers that go elsewhere.
  void while_open(const std::function<void()>& answer) {
    const std::lock_guard lock(mutex_);
    if (sink_) answer();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    sink_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Hypervisor::Sink sink_;
};

struct Backend {
  Backend(TaskDomainSettings settings, Hypervisor::Sink sink, Measures measure)
      : common(std::make_shared<TaskDomainSettings>(std::move(settings))),
        outlet(std::move(sink)),
        measures(std::move(measure)) {}

  const std::shared_ptr<const TaskDomainSettings> common;
  Outlet outlet;
  Hypervisor::SampleSink departures;  // set before the first action; may be null
  const Measures measures;
  VmRegistry registry;
  ThrottleReader throttling;
  std::vector<std::shared_ptr<NodeWorker>> nodes;                  // by NodeId
  std::vector<std::shared_ptr<AccelerationChoice>> accelerations;  // by NodeId

  // Those of them whose VMs are known.
  [[nodiscard]] std::vector<VmSample> samples(NodeId node,
                                              const std::vector<DomainReading>& readings) const;

  // None if there is no such node.
  [[nodiscard]] NodeWorker* node(NodeId id) const {
    return id.raw < nodes.size() ? nodes[id.raw].get() : nullptr;
  }
};

}  // namespace aliquot
