// HYBRID(P,Q): P places the jobs that ask for devices or for certain nodes, Q shares the remaining CPU
// among all other jobs. For example HYBRID(IPSCHED,DYNMCB8-ASAP-PER-600+match).
//
// P chooses the nodes of its jobs, Q the yields of all. P sees Q's jobs as what they hold for certain:
// their memory and their guaranteed CPU. Q sees the jobs that P has placed as immovable, with their
// guaranteed yield, and fits its own around them. At Q's ticks, when Q may move all its jobs, P first
// decides as if these were not there; if that gives no lawful plan, they stay where they are.
//
// Each is handed back what it remembered itself. The ticks are Q's. P is asked at every decision; to keep
// its own interval the policy asks to be woken. Source: this project's own; P and Q are as in their papers.
#pragma once

#include <memory>
#include <string>

#include "policies/hybrid/division.hpp"
#include "policies/policy.hpp"

namespace aliquot {

class Hybrid : public Policy {
 public:
  Hybrid(std::unique_ptr<Policy> places, std::unique_ptr<Policy> shares)
      : places_(std::move(places)), shares_(std::move(shares)) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::optional<Duration> period() const override { return shares_->period(); }
  [[nodiscard]] bool reads_predictions() const override { return shares_->reads_predictions(); }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;
  // P's, over the jobs that it places.
  [[nodiscard]] std::optional<ProvenGap> proven_gap(const ClusterView& view) const override;

 private:
  // P's decision, with Q's jobs in its way or not, then Q's around it.
  [[nodiscard]] Plan decide_both(const ClusterView& view, bool others_in_the_way) const;

  std::unique_ptr<Policy> places_;
  std::unique_ptr<Policy> shares_;
};

}  // namespace aliquot
