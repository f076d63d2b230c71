// Policies that place one job after the other where a score is best, each task with its whole need, as
// schedulers of GPU clusters do. They preempt and move no job.
//
//   FIT-BEST    the node that is left with the least (CPU, memory and devices, each as a share of the
//               largest node's)
//   FIT-DOT     the node whose free resources resemble the demand least (the smallest dot product)
//   FGD         the node whose devices lose least of what typical tasks could use
//   FGD-FILL    as FGD, with half of the score for how far typical tasks would still fill the devices
//
// Jobs of higher priority come first, then in order of submission; one that does not fit is passed over.
// After an arrival only the jobs that arrived are tried: nothing has become free for the others.
// Source: Weng et al., "Beware of Fragmentation", USENIX ATC 2023; FGD-FILL is this project's own.
#pragma once

#include "policies/fitting/node_scores.hpp"
#include "policies/policy.hpp"

namespace aliquot {

class OneByOne : public Policy {
 public:
  explicit OneByOne(FitRule rule) : rule_(rule) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] bool shares_cpu() const override { return false; }
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  FitRule rule_;
};

}  // namespace aliquot
