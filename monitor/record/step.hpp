// One turn of the manager's loop, as a value: what the store keeps, what observers see.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/record/action.hpp"
#include "monitor/record/chronicle.hpp"
#include "monitor/record/event.hpp"
#include "monitor/record/plan_check.hpp"
#include "monitor/record/policy_memory_change.hpp"
#include "policies/model/plan.hpp"

namespace aliquot {

// Slots of a node that one VM of a job held.
struct DevicesHeld {
  NodeId node;
  DeviceSet slots = 0;
  friend bool operator==(const DevicesHeld&, const DevicesHeld&) = default;
};

// What remains of a job that has ended: one row of every report.
struct JobOutcome {
  JobId job;
  Shared<Submission> submission;
  JobResult result = JobResult::completed;
  int exit_code = 0;  // the first task's that was not 0; 0 if all were
  std::string note;   // why it failed, in words
  Instant submitted;
  std::optional<Instant> started;  // first release; none: it never ran
  Instant ended;
  VirtualTime virtual_time;
  std::uint32_t preemptions = 0;       // once per job and decision, however many tasks
  std::uint32_t migrations = 0;        // the multiset of (node, units) changed while it ran
  Memory preempted;                    // bytes of memory saved by preemptions, all tasks
  Memory migrated;                     // bytes of memory moved by migrations
  std::vector<DevicesHeld> devices{};  // that its VMs held; none if it never had any
  std::uint32_t reruns = 0;            // how often it started anew
  std::uint32_t tasks_ever = 0;        // numbers given to tasks, where they are more than it was
                                       // submitted with; 0: they are not
};

// A decision that was taken in a step.
struct Decision {
  std::string policy;
  Cause cause;
  Plan plan;                          // without the memory
  bool adopted = false;               // false: refused by the checker, or the mode is advise
  std::vector<Violation> violations;  // of a refused plan
  std::int64_t nanoseconds = 0;       // measured by the caller; 0 in a replay
  PolicyMemoryChange memory{};        // nothing if the plan was not adopted
};

struct Step {
  std::uint64_t number = 0;
  Instant now;
  std::vector<Event> events;
  std::optional<Decision> decision;
  std::vector<Action> actions;
  std::vector<JobOutcome> ended;            // jobs that ended in this step
  std::vector<ChronicleEntry> chronicle{};  // the manager's, for people; nothing in the simulator
};

}  // namespace aliquot
