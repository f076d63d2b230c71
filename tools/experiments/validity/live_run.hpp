// The input of `evaluate validity`: what a manager's journal tells of a run on real nodes (nodes, policy,
// submissions, ends, durations of actions), and the work of each job, measured by tools/validity.
//
// Errors of a journal: what journal_lines.hpp refuses; a journal that does not begin with the manager's
// first step (an export after a snapshot); a policy that changes after the first submission.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "monitor/record/action.hpp"
#include "monitor/record/step.hpp"
#include "policies/model/error.hpp"
#include "policies/model/id.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

// One action for one task, from the request to its outcome, its wait in the node's queue included.
struct MeasuredAction {
  ActionKind kind = ActionKind::create;
  JobId job;
  Memory memory;  // of the task, the VM's overhead included
  Duration took;
  bool failed = false;
};

struct LiveRun {
  std::vector<Node> nodes;
  std::string policy;
  Instant ticks_from;                        // the ticks are multiples of the period from here
  std::map<JobId, JobOutcome> ended;         // what has ended, however it did
  std::map<JobId, Shared<Submission>> jobs;  // all that were submitted
  std::vector<MeasuredAction> actions;       // of tasks, in the order of their outcomes
  std::vector<std::string> troubles;         // nodes lost, VMs changed from outside the manager
};

[[nodiscard]] Result<LiveRun> read_live_run(const std::string& path);

// The work of a job in seconds of a core, for its slowest task: how much CPU time the task got, not how
// long it took. A table has one CSV line for each job that is compared: `job,measured,expected`.
struct Work {
  Duration measured;  // in this run
  Duration expected;  // before it: links of the hash chain x CPU time of a link in guests that ran alone
};
using WorkTable = std::map<JobId, Work>;

// Errors name the file and the line: not such a table, a bad number, a job that stands there twice.
[[nodiscard]] Result<WorkTable> read_work_table(const std::string& path);

}  // namespace aliquot
