// What the parts of the libvirt backend share: settings, nodes, VM registry, and the sink for events; and
// its three operations: carry out an action, inspect VMs, interpret an event. LibvirtHypervisor and the
// calls in progress own it jointly, because such a call may outlive the hypervisor.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "manager/hypervisor/closable_sink.hpp"
#include "manager/hypervisor/hypervisor.hpp"
#include "manager/hypervisor/libvirt/acceleration.hpp"
#include "manager/hypervisor/libvirt/node_worker.hpp"
#include "manager/hypervisor/libvirt/numa.hpp"
#include "manager/hypervisor/libvirt/slow_turns.hpp"
#include "manager/hypervisor/libvirt/task_domain.hpp"
#include "manager/hypervisor/libvirt/unreturned_calls.hpp"
#include "manager/hypervisor/libvirt/vcpu_counters.hpp"
#include "manager/hypervisor/libvirt/vm_registry.hpp"
#include "manager/hypervisor/libvirt/vm_statistics.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"

namespace aliquot {

// The nodes by number. They come and go while the manager runs: the loop changes the set, other threads
// read it. A call keeps the worker that it was given.
class NodeSet {
 public:
  struct Slot {
    std::shared_ptr<NodeWorker> worker;  // null: there is no such node, or it is not to be connected
    std::shared_ptr<AccelerationChoice> acceleration;
    std::shared_ptr<CellChoice> cells;
  };
  [[nodiscard]] Slot get(NodeId id) const {
    const std::lock_guard lock(mutex_);
    return id.raw < slots_.size() ? slots_[id.raw] : Slot{};
  }
  // Returns what stood there.
  Slot set(NodeId id, Slot slot) {
    const std::lock_guard lock(mutex_);
    if (id.raw >= slots_.size()) slots_.resize(id.raw + 1);
    return std::exchange(slots_[id.raw], std::move(slot));
  }
  [[nodiscard]] std::vector<Slot> connected() const {
    const std::lock_guard lock(mutex_);
    std::vector<Slot> all;
    for (const Slot& slot : slots_)
      if (slot.worker) all.push_back(slot);
    return all;
  }
  [[nodiscard]] std::vector<std::shared_ptr<NodeWorker>> workers() const {
    std::vector<std::shared_ptr<NodeWorker>> all;
    for (Slot& slot : connected()) all.push_back(std::move(slot.worker));
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
};

// VMs that another program moved away or saved, according to an event, while the node still lists them:
// libvirt sends the event before it removes the VM. Each is looked for again at the node's next survey.
class UnprovenDepartures {
 public:
  struct Departure {
    NodeId node;
    Uuid vm{};
    NodeEvent event{};
    int looks = 0;  // so far
  };
  void add(const Departure& departure) {
    const std::lock_guard lock(mutex_);
    departures_.push_back(departure);
  }
  // Those of the node are forgotten with this.
  [[nodiscard]] std::vector<Departure> take(NodeId node) {
    const std::lock_guard lock(mutex_);
    std::vector<Departure> taken;
    std::erase_if(departures_, [&](const Departure& departure) {
      const bool here = departure.node == node;
      if (here) taken.push_back(departure);
      return here;
    });
    return taken;
  }

 private:
  std::mutex mutex_;
  std::vector<Departure> departures_;
};

// Of VMs that are about to be sent to nodes of other backends, as prepare_move() has announced them.
class AnnouncedMoves {
 public:
  void add(const Uuid& vm, VmMove move) {
    const std::lock_guard lock(mutex_);
    moves_.insert_or_assign({move.op, vm}, std::move(move));
  }
  // None: it was not announced.
  [[nodiscard]] std::optional<VmMove> take(OpId op, const Uuid& vm) {
    const std::lock_guard lock(mutex_);
    auto announced = moves_.extract({op, vm});
    return announced ? std::optional(std::move(announced.mapped())) : std::nullopt;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<OpId, Uuid>, VmMove> moves_;
};

struct Backend {
  Backend(TaskDomainSettings settings, Hypervisor::Sink sink, CallObserver call_observer,
          std::shared_ptr<UnreturnedCalls> unreturned)
      : common(std::make_shared<TaskDomainSettings>(std::move(settings))),
        events(std::move(sink)),
        observer(std::move(call_observer)),
        calls(std::move(unreturned)) {}

  const std::shared_ptr<const TaskDomainSettings> common;
  ClosableSink events;
  Hypervisor::SampleSink departures;  // set before the first action; may be null
  const CallObserver observer;
  std::shared_ptr<const EpochFence> fence;       // set before the first node; may be null
  const std::shared_ptr<UnreturnedCalls> calls;  // that create, restore, save or move a VM
  VmRegistry registry;
  VcpuReader vcpus;
  SlowTurns slow_turns;
  NodeSet nodes;
  UnprovenDepartures unproven;
  AnnouncedMoves announced;

  // Is the node known to be off? Then no VM is there, and no action waits for it.
  [[nodiscard]] bool is_off(NodeId node) const {
    const std::lock_guard lock(off_mutex_);
    return off_.contains(node);
  }
  void write_off(NodeId node, bool off) {
    const std::lock_guard lock(off_mutex_);
    off ? void(off_.insert(node)) : void(off_.erase(node));
  }

  // The readings of VMs that the registry knows, as samples.
  [[nodiscard]] std::vector<VmSample> samples(NodeId node,
                                              const std::vector<DomainReading>& readings) const;

  // Null if there is no such node.
  [[nodiscard]] std::shared_ptr<NodeWorker> node(NodeId id) const { return nodes.get(id).worker; }

 private:
  mutable std::mutex off_mutex_;
  std::set<NodeId> off_;
};

// Turns an action into calls on the queues of its nodes, and their results into exactly one Outcome for
// each task.
void dispatch(const std::shared_ptr<Backend>& backend, const Action& action,
              const std::shared_ptr<const JobSpec>& spec);

// Aborts a save, migration or checkpoint of this VM that missed its deadline, so that it cannot take effect
// at a later time. On a thread of its own, because the queues of the node may be stuck; it ends with the
// connection at the latest.
void give_up_later(const Backend& backend, NodeId node, const Uuid& uuid);

// Makes a checkpoint of all tasks of a job that have not ended; each of them gets one Outcome. All VMs are
// suspended, then all are written, then all are resumed, whatever went wrong. Checksums and manifest are
// made when they run again.
void make_checkpoint(const std::shared_ptr<Backend>& backend, const Checkpoint& action,
                     const std::shared_ptr<const JobSpec>& spec);

// Finds out what became of VMs: asks the nodes on which they may run, then looks at the files they left in
// the spool. Each query is answered once, when its last node has answered or is known not to answer.
//
//   found on one node                            running, paused
//   found on another node                        running, paused, and a ForeignMove
//   found on two nodes                           unknown (a migration is under way)
//   an event of it was heard meanwhile           unknown, unless its guest wrote an exit status
//   a call about it has not returned             unknown: it may still take effect
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
// Looks again for VMs that are said to have left the node.
void look_for_departed(const std::shared_ptr<Backend>& backend, NodeId node);

}  // namespace aliquot
