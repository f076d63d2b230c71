// The port to whatever runs virtual machines: the model (simulator, tests), libvirt, later libxl.
//
// Calls return at once; what comes of them arrives as events through the sink, on any thread the
// implementation likes. One contract test (test/integration/hypervisor_contract) runs on every backend.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policies/model/action.hpp"
#include "policies/model/event.hpp"

namespace aliquot {

// All a backend needs to know of a job to act on its VMs: a value, so that workers may keep it.
struct JobSpec {
  JobId job;
  Shared<Submission> submission;
  struct Task {
    std::uint32_t incarnation = 0;  // counts creations; with job and task it names the VM for good
    NodeId node;                    // where the VM stands, or stood last
    bool ended = false;
    std::uint32_t units = 1;  // tasks of the job that the VM holds
    DeviceSet devices = 0;    // slots of its node, `demand.devices.parts` of each
  };
  // By task number; its size is what the job was submitted with, or of a grouped job that of its placement.
  std::vector<Task> tasks;
  // By task number, of the hardware behind its devices; stand-ins have none, and no task has any beyond the
  // end.
  std::vector<std::vector<std::string>> places{};
  [[nodiscard]] std::vector<std::string> places_of(std::uint32_t task) const {
    return task < places.size() ? places[task] : std::vector<std::string>();
  }
};

// One VM to look for, and where it may be.
struct VmQuery {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
  std::vector<NodeId> nodes;
};

// Counters of one run of a VM: of one process of the hypervisor, which is what a creation, a restore and
// the arrival of a migration each begin. They start at 0 and never fall.
struct VmSample {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
  std::int64_t run = 0;  // with task and incarnation it names the run, on whatever node
  NodeId node;           // where it was read
  std::uint32_t vcpus = 1;
  Duration cpu;                       // used by the vCPU threads
  std::optional<Duration> waited;     // ready but not running, for whatever reason; none: not told
  std::optional<Duration> throttled;  // of that, held back by its cap; none: cannot be seen from here
};

class Hypervisor {
 public:
  using Sink = std::function<void(Event)>;
  using SampleSink = std::function<void(NodeId, std::vector<VmSample>)>;

  Hypervisor() = default;
  Hypervisor(const Hypervisor&) = delete;
  Hypervisor& operator=(const Hypervisor&) = delete;
  virtual ~Hypervisor() = default;

  // Starts the action; every task of action.tasks gets exactly one Outcome, even if the node never
  // answers (then after the deadline, as ErrorKind::timeout: the state is unclear until inspected).
  virtual void perform(const Action& action, std::shared_ptr<const JobSpec> spec) = 0;

  // Answers each query with one Inspected event.
  virtual void inspect(std::vector<VmQuery> queries) = 0;

  // Reads the counters of all VMs of a node; never waited for. A node that does not answer has none.
  virtual void sample(NodeId node, SampleSink done) = 0;

  // The counters of VMs that are about to leave their node, as long as they can still be read: nobody asks
  // for these. Said once, before the first action. A backend whose runs never end has nothing to tell.
  virtual void on_departure(SampleSink) {}

  // The job is over and its outcome stored: what was kept for its VMs goes; consoles and status stay. Takes
  // as long as the storage does: live, it is called from a thread that may wait. Done already is no fault.
  virtual void forget(JobId job) = 0;
};

}  // namespace aliquot
