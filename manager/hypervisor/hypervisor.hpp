// The port to whatever runs virtual machines: the model (simulator, tests), libvirt, later libxl.
//
// Calls return at once; what comes of them arrives as events through the sink, on any thread the
// implementation likes. One contract test (test/integration/hypervisor_contract) runs on every backend.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "policies/model/action.hpp"
#include "policies/model/event.hpp"

namespace aliquot {

// All a backend needs to know of a job to act on its VMs: a value, so that workers may keep it.
struct JobSheet {
  JobId job;
  Shared<Submission> submission;
  struct Task {
    std::uint32_t incarnation = 0;  // counts creations; with job and task it names the VM for good
    NodeId node;                    // where the VM stands, or stood last
    bool ended = false;
    std::uint32_t units = 1;            // tasks of the job that the VM holds
    DeviceSet devices = 0;              // slots of its node, `demand.devices.parts` of each
    std::vector<std::string> places{};  // of the hardware behind these slots; stand-ins have none
  };
  // By task number; its size is what the job was submitted with, or of a grouped job that of its placement.
  std::vector<Task> tasks;
};

// One VM to look for, and where it may be.
struct VmQuery {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
  std::vector<NodeId> nodes;
};

// Counters of one VM since its creation, added up over saves and migrations.
struct VmSample {
  JobId job;
  std::uint32_t task = 0;
  NodeId node;
  Duration cpu;        // used by the vCPU threads
  Duration delay;      // runnable but not running: steal
  Duration throttled;  // held back by its cap
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
  virtual void perform(const Action& action, std::shared_ptr<const JobSheet> sheet) = 0;

  // Answers each query with one Inspected event.
  virtual void inspect(std::vector<VmQuery> queries) = 0;

  // Reads the counters of all VMs of a node, on the fast lane; never waited for.
  virtual void sample(NodeId node, SampleSink done) = 0;

  // The job is over and its outcome stored: what was kept for its VMs goes; consoles and status stay. Takes
  // as long as the storage does: live, it is called from a thread that may wait. Done already is no fault.
  virtual void forget(JobId job) = 0;
};

}  // namespace aliquot
