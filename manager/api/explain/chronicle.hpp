// Writes the chronicle of jobs: compares where each stood before a step with where it stands after, and
// says by which decision and why. Beside the core, which knows nothing of it: its state is a copy of the
// last standing of every job, taken from the state that it is given. Deterministic; not thread-safe: of the
// loop.
//
// The effort for one step grows with what changed in it; of the jobs that wait, so many are looked at again
// in a step as counted work allows, in turn.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "manager/api/explain/job_reasons.hpp"
#include "manager/core/state.hpp"
#include "policies/policy.hpp"

namespace aliquot {

// The jobs whose standing may differ after this step; `state` is the state after it, and some may have
// ended. The work grows with the step, except for events that may concern every job.
[[nodiscard]] std::set<JobId> affected_jobs(const Step& step, const CoreState& state);

class Chronicle {
 public:
  // What stands now is where the story begins.
  explicit Chronicle(const CoreState& state);

  // `step` has just been taken, `state` and `policy` are as they are after it.
  [[nodiscard]] std::vector<ChronicleEntry> note(const Step& step, const CoreState& state,
                                                 const Policy& policy);

 private:
  struct Known {
    Standing standing;
    std::uint64_t decision = 0;  // the last that changed it
    std::optional<Reason> waits_for;
    std::optional<Standing> wished;  // by the last decision that was refused or only shown
  };
  struct Now;  // one step, while it is noted

  void note_change(Now& now, JobId job);
  void note_wishes(Now& now);
  void note_failures(Now& now);
  void note_waits(Now& now);
  void look_at_wait(Now& now, JobId job);
  void note_ends(Now& now);
  void remember_actions(const Step& step);

  struct Issued {
    JobId job;
    ActionKind kind = ActionKind::cap;
    std::uint64_t open = 0;  // tasks of which no outcome is in yet
  };
  std::map<JobId, Known> known_;
  std::map<OpId, Issued> issued_;
  std::set<JobId> unexplained_;  // wait, and no entry has said why yet
  JobId next_looked_at_;
};

}  // namespace aliquot
