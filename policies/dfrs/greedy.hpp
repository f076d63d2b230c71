// The policies GREEDY, GREEDY-PMTN and GREEDY-PMTN-MIGR (DFRS, III-A): jobs are placed one by one and, in
// GREEDY, stay where they are until they end.
//
// A job that cannot be placed is tried again min(2^12, 2^count) seconds later, count being the number of
// its failed attempts (PolicyMemory::retries); besides, at once when the cluster changed in another way
// than by jobs coming and going (Cause::disturbed), which counts as no attempt. Jobs that another policy
// has paused wait in GREEDY like any other.
//
// -PMTN pauses running jobs of lower priority to let a new job in, and at every event resumes paused jobs
// in decreasing priority, though not those paused in the same event; -MIGR resumes these too, elsewhere:
// a migration. There, new jobs that could not be let in are also tried at every event.
#pragma once

#include "policies/draft.hpp"
#include "policies/policy.hpp"

namespace aliquot {

enum class Preemption : std::uint8_t { none, pause, pause_or_move };

// Which of the jobs that wait or are paused are tried in a decision, and how.
struct GreedyRules {
  Preemption preemption = Preemption::none;
  bool arrived = true;    // those that have just been submitted
  bool all = false;       // all of them
  bool backs_off = true;  // those whose back-off is over;
  bool only_new = false;  // of these only the ones that have never run
};

// Places them by decreasing priority, new jobs first. With preemption new jobs may have others paused, and
// paused jobs follow after them: also those paused just now, if they may move.
void place_greedily(Draft& draft, const GreedyRules& rules);
// Remembers the failed attempts of those that still wait, and wakes up for the next ones.
void back_off(const Draft& draft, const GreedyRules& rules, Plan& plan);
// Why a job waits that could run. `ticks`: all are tried at the policy's ticks too.
[[nodiscard]] Explanation greedy_reason(const Draft& draft, std::size_t i, bool ticks);

class Greedy : public Policy {
 public:
  explicit Greedy(Preemption preemption) : preemption_(preemption) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  Preemption preemption_;
};

// An event that may have changed what can be done; false for a mere look at the state.
[[nodiscard]] bool has_event(const Cause& cause);

}  // namespace aliquot
