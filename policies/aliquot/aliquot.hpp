// ALIQUOT, the project's own policy: it keeps the largest predicted stretch small, and knows what an action
// costs. docs/policy.md explains the rules and measures what each of them is worth.
//
// At every event, in this order: pending jobs are admitted and preempted jobs are resumed (admission.hpp);
// where actions are free, all jobs are repacked now and then (repacking.hpp); at most every 10 s one job
// leaves the worst node (rebalancing.hpp); and the CPU is shared by predicted stretch
// (share_allocation.hpp). All constants follow from P, the cost of an action, which the view tells. A token
// bucket limits moves and pauses: each submission adds a token, each action takes one.
#pragma once

#include "policies/aliquot/admission.hpp"
#include "policies/aliquot/planning_state.hpp"
#include "policies/policy.hpp"
#include "policies/scratch.hpp"

namespace aliquot {

class Aliquot : public Policy {
 public:
  explicit Aliquot(AliquotSpec spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override { return to_string(spec_); }
  [[nodiscard]] std::optional<Duration> period() const override { return std::nullopt; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  // What an action costs: as an option sets it, otherwise as the view tells it.
  [[nodiscard]] ActionCosts costs(const ClusterView& view) const;
  // Does an action cost next to nothing? Then no tokens are needed.
  [[nodiscard]] bool actions_are_free(const ClusterView& view) const;
  [[nodiscard]] std::int32_t allowance(const PlanningState& planning) const;
  bool repack_if_due(PlanningState& planning) const;
  [[nodiscard]] bool rebalance_is_due(PlanningState& planning) const;
  using Entries = std::span<const std::uint32_t>;
  [[nodiscard]] std::optional<Instant> wake_at(const PlanningState& planning, Entries placed,
                                               const Yields& yields,
                                               const FlatMap<JobId, Retry>& retries) const;

  AliquotSpec spec_;
  mutable Scratch scratch_;
};

}  // namespace aliquot
