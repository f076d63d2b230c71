// The interface to what runs virtual machines: the model (simulator, tests), libvirt, libxl.
//
// Calls return at once. Their outcomes arrive as events through the sink, on any thread of the
// implementation. One contract test (test/integration/hypervisor_contract) runs on every backend.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "monitor/record/action.hpp"
#include "monitor/record/event.hpp"
#include "monitor/vm_usage.hpp"

namespace aliquot {

// What a backend must know about a job to act on its VMs. A value, so that other threads may keep it.
struct JobSpec {
  JobId job;
  Shared<Submission> submission;
  struct Task {
    std::uint32_t incarnation = 0;  // counts creations; job, task and incarnation identify a VM for ever
    NodeId node;                    // the node of the VM, or its last one
    bool ended = false;
    std::uint32_t units = 1;  // tasks of the job that the VM holds
    DeviceSet devices = 0;    // slots of its node, `demand.devices.parts` of each
    bool left = false;        // it has left its job, which has shrunk
  };
  // By task number. A grouped job has one entry for each of its VMs (GLOSSARY.md), others one for each
  // task.
  std::vector<Task> tasks;
  Instant submitted{};
  // By task number: where the hardware of its devices is. Empty for stand-in devices; tasks without an
  // entry have none.
  std::vector<std::vector<std::string>> places{};
  // Of a job with a network: the addresses of all nodes that may have a VM of it.
  std::vector<std::string> node_addresses{};
  // These VMs are on their way to another node: what is saved and restored is an image in the spool, also
  // on nodes that save what they pause to a disk of their own (local_saves.hpp).
  bool moves = false;
  [[nodiscard]] std::vector<std::string> places_of(std::uint32_t task) const {
    return task < places.size() ? places[task] : std::vector<std::string>();
  }
};

// A VM to look for, and the nodes on which it should be.
struct VmQuery {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
  std::vector<NodeId> nodes;
  // It should exist: if it is on none of these nodes, the others are asked too, for another program may
  // have moved it. It is gone for certain only if they all deny it; where no node is named (those on which
  // it was are off), and it is not known to have been moved, a silent one does not count.
  bool exists = false;
  bool was_moved = false;
};

// So much of its memory the guest of a VM is to have; its balloon takes the rest.
struct VmBalloon {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
  NodeId node;
  Memory memory;
};

// CPU counters of one run of a VM, and what its guest says of its memory. A run is one hypervisor process:
// each creation, each restore and each arrival by migration starts a new one. The counters of a run start
// at 0 and never decrease.
struct VmSample {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
  std::int64_t run = 0;  // identifies the run, together with task and incarnation
  NodeId node;           // on which it was read
  std::uint32_t vcpus = 1;
  Duration cpu;                         // used by the vCPU threads
  std::optional<Duration> waited;       // ready but not running, for any reason; none: unknown
  std::optional<Duration> throttled;    // the part of it due to the cap; none: unknown
  std::optional<GuestMemory> memory{};  // none: the guest has said nothing in this run
};

class Hypervisor {
 public:
  using Sink = std::function<void(Event)>;
  using SampleSink = std::function<void(NodeId, std::vector<VmSample>)>;

  Hypervisor() = default;
  Hypervisor(const Hypervisor&) = delete;
  Hypervisor& operator=(const Hypervisor&) = delete;
  virtual ~Hypervisor() = default;

  // Starts the action. Every task of action.tasks gets exactly one Outcome. If the node does not answer by
  // the deadline, it is ErrorKind::timeout: the VM's state is then unclear until an inspection.
  virtual void perform(const Action& action, std::shared_ptr<const JobSpec> spec) = 0;

  // Answers each query with one Inspected event.
  virtual void inspect(std::vector<VmQuery> queries) = 0;

  // Reads the counters of all VMs of a node, asynchronously. A node that does not answer yields no samples.
  virtual void sample(NodeId node, SampleSink done) = 0;

  // Sets the receiver of counters read unasked, just before a VM leaves its node and they are lost. Called
  // at most once, before the first action. A backend that never loses counters need not override it.
  virtual void on_departure(SampleSink) {}

  // Without an outcome: how much a guest really has is in its samples. A backend that cannot do it, or not
  // for this VM, does nothing.
  virtual void set_balloon(const VmBalloon&) {}

  // The job has ended and its outcome is stored: removes what was kept for its VMs, except consoles and
  // status files. May block on the storage; the daemon calls it off the loop's thread. Idempotent.
  virtual void forget(JobId job) = 0;
};

}  // namespace aliquot
