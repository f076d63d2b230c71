// Writes the chronicle, the history of each job (docs/explaining.md): compares every job before and after a
// step, and records which decision changed it and why. The core does not depend on it; its own state is a
// copy of the last phase, yield and placement of every job. Deterministic; not thread-safe: used by the
// loop only.
//
// The work for a step grows with the number of changes in it. Waiting jobs are re-examined in turn, in each
// step as many as a fixed amount of work allows.
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
  // The history begins with the present state.
  explicit Chronicle(const CoreState& state);

  // The entries of this step; `state` and `policy` are those after it.
  [[nodiscard]] std::vector<ChronicleEntry> note(const Step& step, const CoreState& state,
                                                 const Policy& policy);

 private:
  struct Known {
    Standing standing;
    std::uint64_t decision = 0;  // the last decision that changed it
    std::optional<Reason> waits_for;
    std::optional<Standing> unadopted;  // by the last decision that was refused or only shown
    std::uint32_t checkpoint = 0;       // number of the newest
    std::uint32_t rollbacks = 0;
    std::uint32_t reruns = 0;
  };
  struct Now;  // the step being recorded

  void note_rerun(Now& now, JobId job);
  void note_change(Now& now, JobId job);
  void note_checkpoint(Now& now, JobId job);
  void note_unadopted(Now& now);
  void note_failures(Now& now);
  void note_foreign(Now& now);
  void note_foreign(Now& now, JobId job, std::string text);
  void note_needs(Now& now);
  void note_sizes(Now& now);
  void note_event(Now& now, Turn turn, const Job& job, bool alone, std::string text);
  void note_waits(Now& now);
  void look_at_wait(Now& now, JobId job);
  void note_ends(Now& now);
  void remember_actions(const Step& step);

  struct Issued {
    JobId job;
    ActionKind kind = ActionKind::cap;
    std::uint64_t open = 0;  // tasks without an outcome so far
  };
  std::map<JobId, Known> known_;
  std::map<OpId, Issued> issued_;
  std::set<JobId> moved_;        // by another program, and not found since
  std::set<JobId> unexplained_;  // waiting jobs without an entry that gives the reason
  JobId next_looked_at_;
};

}  // namespace aliquot
