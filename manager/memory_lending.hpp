// Lends out memory that jobs do not use (`needs.memory: learned`, docs/needs.md): hands what the guests of
// VMs say of their memory to the watches of their jobs (policies/needs), sets the balloons, and hands what
// jobs are to be counted with to the next step as an event.
//
// Before a job is counted with less, the balloons of all its VMs are inflated: what guests have given back
// is what their hypervisor says, not what was asked for. Before it is counted with more, they are deflated.
// A balloon that is not as it should be is set again, so a VM that was restored or moved, a call that
// failed and a manager or an agent that was restarted need nothing of their own. Belongs to the loop's
// thread.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "config/settings.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/hypervisor/hypervisor.hpp"
#include "manager/step_input.hpp"
#include "policies/needs/memory_watch.hpp"

namespace aliquot {

class MemoryLending {
 public:
  // All outlive this. `settings` may be replaced by a reload between two calls.
  struct Parts {
    const Scheduler& scheduler;
    Hypervisor& hypervisor;
    const Settings& settings;
    StepInput& input;  // of the next step
  };
  explicit MemoryLending(Parts parts) : parts_(parts) {}

  // Looks which jobs there are; once a second.
  void every_second(Instant now);
  // Counters of VMs, read at that instant.
  void read(const std::vector<VmUsage>& readings, Instant at);
  // Whether the memory of any job is to be learned: then counters are worth reading each second.
  [[nodiscard]] bool watches() const { return !jobs_.empty(); }

 private:
  struct Reading {
    VmUsage counters;
    Instant at;
    Instant asked_at;           // its guest
    Instant set_at{INT64_MIN};  // its balloon
    Memory set_to;
  };
  // Its balloons are being inflated.
  struct Lowering {
    needs::MemoryChange change;
    Instant since;
    bool is_said = false;  // the job is to be counted with it
  };
  struct Watched {
    needs::MemoryWatch watch;
    std::map<std::uint32_t, Reading> last{};  // by VM
    std::optional<Lowering> lowering{};
    std::optional<Instant> raised_at{};  // it is to be counted with all of its memory
  };
  [[nodiscard]] bool may_act() const;
  // The site wants it, and the job cannot come to a node that runs Xen, where guests do not tell.
  [[nodiscard]] bool is_to_lend(const Submission& job) const;
  void watch_or_give_back(JobId id, const JobRecord& record, Instant now);
  static void observe(Watched& watched, const VmUsage& reading, Instant at);
  void decide(JobId id, const JobRecord& record, Watched& watched, Instant now);
  void follow_watch(JobId id, const JobRecord& record, Watched& watched, Instant now);
  void follow_lowering(JobId id, const JobRecord& record, Watched& watched, Instant now);
  void count_with(JobId id, const JobRecord& record, const needs::MemoryChange& change, std::string why);
  // Of every VM of which something is known.
  void set_balloons(JobId id, const JobRecord& record, Watched& watched, Instant now);

  Parts parts_;
  std::map<JobId, Watched> jobs_;
  bool any_xen_ = true;  // of the configured nodes, this second
};

}  // namespace aliquot
