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

class Greedy : public Policy {
 public:
  explicit Greedy(Preemption preemption) : preemption_(preemption) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  [[nodiscard]] bool due(const ClusterView& view, const Job& job) const;
  [[nodiscard]] bool try_to_place(Draft& draft, std::size_t i) const;
  void admit(Draft& draft, PolicyMemory& memory) const;
  void resume(Draft& draft) const;

  Preemption preemption_;
};

[[nodiscard]] bool has_arrived(const Cause& cause, JobId job);
// An event that may have changed what can be done; false for a mere look at the state.
[[nodiscard]] bool has_event(const Cause& cause);

// One attempt more has failed: the next is min(2^12, 2^count) seconds from now (DFRS, III-A).
[[nodiscard]] Retry after_failure(Retry retry, Instant now);

}  // namespace aliquot
