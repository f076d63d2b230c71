// HYBRID(P, Q): P places the jobs that ask for devices or for certain nodes, Q shares the rest among all
// others. For example HYBRID(IPSCHED, DYNMCB8-ASAP-PER-600+match).
//
// P says where, Q says how much. P sees the others as what they hold for certain: their memory and their
// guaranteed CPU. Whoever P has placed stands, for Q, as a job that cannot move, with its guaranteed yield:
// Q fits the others around it. At Q's ticks, when Q may move everybody, P first decides as if the others
// were not there; if no lawful plan comes of that, they stay where they are.
//
// The ticks are Q's; P is asked at every decision, and its own interval is kept by waking up.
// Source: this project's own; P and Q are as their papers have them.
#pragma once

#include <memory>
#include <string>

#include "policies/grammar.hpp"
#include "policies/policy.hpp"

namespace aliquot {

class Hybrid : public Policy {
 public:
  Hybrid(std::unique_ptr<Policy> places, std::unique_ptr<Policy> shares)
      : places_(std::move(places)), shares_(std::move(shares)) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::optional<Duration> period() const override { return shares_->period(); }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;
  // Of P, over the jobs it places.
  [[nodiscard]] std::optional<ProvenGap> proven_gap(const ClusterView& view) const override;

 private:
  // Both decisions over one view: P's, with the others in its way or not, then Q's around it.
  [[nodiscard]] Plan both(const ClusterView& view, bool others_in_the_way) const;

  std::unique_ptr<Policy> places_;
  std::unique_ptr<Policy> shares_;
};

// The text between the brackets, cut at the comma that stands in none of its own.
struct HybridParts {
  std::string places, shares;
};
[[nodiscard]] Result<HybridParts> hybrid_parts(const PolicyName& name);

}  // namespace aliquot
