// ALIQUOT, the project's own policy: it keeps the largest predicted stretch small, and knows what an action
// costs. docs/policy.md explains the rules and measures what each of them is worth.
//
// At every event, in this order: pending jobs are admitted and preempted jobs are resumed (admission.hpp);
// where actions are free, all jobs are repacked now and then (repacking.hpp); at most every 10 s one job
// leaves the worst node (rebalancing.hpp); and the CPU is shared by predicted stretch
// (share_allocation.hpp). All constants follow from P, the cost of an action, which the view tells. A token
// bucket limits moves and pauses: each submission adds a token, each action takes one.
#pragma once

#include <optional>

#include "policies/aliquot/jobs_at_issue.hpp"
#include "policies/aliquot/spec.hpp"
#include "policies/policy.hpp"

namespace aliquot {

class Aliquot : public Policy {
 public:
  explicit Aliquot(AliquotSpec spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override { return to_string(spec_); }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  // None: jobs that were left out might matter.
  [[nodiscard]] std::optional<Plan> decide_about(const ClusterView& view,
                                                 const JobsAtIssue& at_issue) const;

  AliquotSpec spec_;
};

}  // namespace aliquot
