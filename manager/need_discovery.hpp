// Learns the CPU needs of jobs that are to be counted with what they use (`--needs learned`): hands what
// the counters of their VMs say to their watches (policies/needs), and what is learned to the next step as
// an event. So a replay, and a manager that was restarted, count with the same needs.
//
// What has been watched and has not changed a need yet is not kept: a new manager watches anew, from the
// need that is in force. Belongs to the loop's thread.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "config/settings.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/step_input.hpp"
#include "monitor/vm_usage.hpp"
#include "policies/needs/need_watch.hpp"

namespace aliquot {

class NeedDiscovery {
 public:
  // All outlive this. `settings` may be replaced by a reload between two calls.
  struct Parts {
    const Scheduler& scheduler;
    const std::vector<std::int64_t>& speeds;  // of a core of each node, by NodeId (shares_in_force.hpp)
    const NeedSettings& settings;
    StepInput& input;  // of the next step
  };
  explicit NeedDiscovery(Parts parts) : parts_(parts) {}

  // Counters of VMs, read at that instant.
  void read(const std::vector<VmUsage>& readings, Instant at);
  // Whether the need of any job is to be learned: then counters are worth reading each second.
  [[nodiscard]] bool watches() const { return !jobs_.empty(); }
  // Looks which jobs there are; once a second.
  void every_second();

 private:
  struct Reading {
    VmUsage counters;
    Instant at;
    Cpu allowed;  // by the cap of the VM then
  };
  struct Watched {
    needs::NeedWatch watch;
    std::map<std::uint32_t, Reading> last;  // by VM
  };
  void observe(Watched& watched, const JobRecord& record, const VmUsage& reading, Instant at);
  void decide(JobId id, Watched& watched, Instant at, bool may_probe);
  // How many more jobs the settings allow to be probed now.
  [[nodiscard]] std::int64_t probes_left() const;

  Parts parts_;
  std::map<JobId, Watched> jobs_;
};

}  // namespace aliquot
