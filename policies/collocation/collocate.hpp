// COLLOCATE(P,Q): HYBRID(P,Q) in which no CPU-only job keeps a GPU job waiting. P places the jobs that ask
// for devices or for certain nodes, and Q shares the remaining CPU among all other jobs, beside GPU jobs
// too: a GPU job always gets its guaranteed yield (Demand::min_yield), CPU-only jobs what it leaves.
//
// P places its jobs where there is room first. If some still wait, it decides again as if the movable
// CPU-only jobs were not there. Where memory or guaranteed CPU does not suffice for both, CPU-only jobs are
// evicted, as few as possible: Q sees them as paused, so that it resumes them on other nodes at once, which
// is a move, or leaves them paused. That is why a CPU-only job may outlast the GPU job beside which it
// stands. A job that cannot be moved is never evicted.
//
// What both remember, and the ticks, are as under HYBRID. Source: this project's own; CAPE-RM's rule
// (cape_rm.hpp) keeps jobs apart by bounds instead.
#pragma once

#include <memory>
#include <string>

#include "policies/policy.hpp"

namespace aliquot {

class Collocate : public Policy {
 public:
  Collocate(std::unique_ptr<Policy> places, std::unique_ptr<Policy> shares)
      : places_(std::move(places)), shares_(std::move(shares)) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::optional<Duration> period() const override { return shares_->period(); }
  [[nodiscard]] bool reads_predictions() const override { return shares_->reads_predictions(); }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;
  // P's, over the jobs that it places.
  [[nodiscard]] std::optional<ProvenGap> proven_gap(const ClusterView& view) const override;

 private:
  // P's decision: where its jobs go.
  [[nodiscard]] Plan place(const ClusterView& view) const;

  std::unique_ptr<Policy> places_;
  std::unique_ptr<Policy> shares_;
};

}  // namespace aliquot
