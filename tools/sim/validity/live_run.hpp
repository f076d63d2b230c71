// What a manager's journal tells of a run on real nodes: who came when, who ended when, what every action
// took. No opinion of it here.
//
// Errors: what journal_lines.hpp refuses; a journal that does not begin with the manager's first step (an
// export after a snapshot), or in which the policy changes after the first submission.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "policies/model/action.hpp"
#include "policies/model/error.hpp"
#include "policies/model/step.hpp"

namespace aliquot {

// One action for one task, from the moment it was asked for to its outcome: waiting for its turn on the
// node's lane included.
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
  std::vector<std::string> troubles;         // nodes that were lost, VMs that somebody else touched
};

[[nodiscard]] Result<LiveRun> read_live_run(const std::string& path);

}  // namespace aliquot
