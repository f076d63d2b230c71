// What the parts of the libvirt backend share: settings, nodes, VM registry, and the sink for events; and
// its three operations: carry out an action, inspect VMs, interpret an event. LibvirtHypervisor and the
// calls in progress own it jointly, because such a call may outlive the hypervisor.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"
#include "manager/hypervisor/libvirt/acceleration.hpp"
#include "manager/hypervisor/libvirt/node_worker.hpp"
#include "manager/hypervisor/libvirt/task_domain.hpp"
#include "manager/hypervisor/libvirt/throttling.hpp"
#include "manager/hypervisor/libvirt/vm_registry.hpp"
#include "manager/hypervisor/libvirt/vm_statistics.hpp"

namespace aliquot {

// The event sink, until it is closed: no event passes after that, even from a call that returns much later.
// The sink must not call back into the hypervisor.
class ClosableSink {
 public:
  explicit ClosableSink(Hypervisor::Sink sink) : sink_(std::move(sink)) {}
  void post(Event event) {
    const std::lock_guard lock(mutex_);
    if (sink_) sink_(std::move(event));
  }
  // Calls `answer` unless the sink is closed; for results that are not events.
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
  Backend(TaskDomainSettings settings, Hypervisor::Sink sink, CallObserver call_observer)
      : common(std::make_shared<TaskDomainSettings>(std::move(settings))),
        events(std::move(sink)),
        observer(std::move(call_observer)) {}

  const std::shared_ptr<const TaskDomainSettings> common;
  ClosableSink events;
  Hypervisor::SampleSink departures;  // set before the first action; may be null
  const CallObserver observer;
  VmRegistry registry;
  ThrottleReader throttling;
  std::vector<std::shared_ptr<NodeWorker>> nodes;                  // by NodeId
  std::vector<std::shared_ptr<AccelerationChoice>> accelerations;  // by NodeId

  // The readings of VMs that the registry knows, as samples.
  [[nodiscard]] std::vector<VmSample> samples(NodeId node,
                                              const std::vector<DomainReading>& readings) const;

  // Null if there is no such node.
  [[nodiscard]] NodeWorker* node(NodeId id) const {
    return id.raw < nodes.size() ? nodes[id.raw].get() : nullptr;
  }
};

// Turns an action into calls on the queues of its nodes, and their results into exactly one Outcome for
// each task.
void dispatch(const std::shared_ptr<Backend>& backend, const Action& action,
              const std::shared_ptr<const JobSpec>& spec);

// Finds out what became of VMs: asks the nodes on which they may run, then looks at the files they left in
// the spool. Each query is answered once, when its last node has answered or is known not to answer.
//
//   found on one node                            running, paused
//   found on another node                        running, paused, and a ForeignMove
//   found on two nodes                           unknown (a migration is under way)
//   on none, and its guest wrote an exit status  ended
//   on none, and the spool has a complete image  saved
//   on none, and every node answered             absent
//   otherwise                                    unknown
void inspect_vms(const std::shared_ptr<Backend>& backend, std::vector<VmQuery> queries);

// Queues one libvirt event of a VM for interpretation (lifecycle.hpp): an effect of our own actions is
// dropped, an end becomes TaskEnded with the guest's exit status, anything else is a foreign move. The
// queue has its own thread, because the exit status is in a file and libvirt's event loop must not wait for
// one.
void queue_event(CallQueue& event_queue, const std::shared_ptr<Backend>& backend, NodeId node,
                 const Uuid& vm, NodeEvent event);

}  // namespace aliquot
