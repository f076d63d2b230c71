// Policies that place one job after the other where a score is best, each task with its whole need: what
// schedulers of GPU clusters do. They pause and move nobody.
//
//   FIT-BEST    the node that is left with the least (CPU, memory, devices, each as a part of the largest
//               node's)
//   FIT-DOT     the node whose rest resembles the demand least (the smallest dot product)
//   FGD         the node whose devices lose least of what typical tasks could use
//   FGD-FILL    as FGD, but half of the score is how far typical tasks would still fill the devices
//
// Jobs of higher priority come first, then in order of submission; one that does not fit is passed over.
// After an arrival only those that have arrived are tried: for the others nothing has become free.
// Source: Weng et al., "Beware of Fragmentation", USENIX ATC 2023; FGD-FILL is this project's own.
#pragma once

#include "policies/fitting/node_offers.hpp"
#include "policies/policy.hpp"

namespace aliquot {

class OneByOne : public Policy {
 public:
  explicit OneByOne(FitRule rule) : rule_(rule), nodes_(rule) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::optional<Duration> period() const override { return std::nullopt; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  FitRule rule_;
  mutable NodeOffers nodes_;  // remembers, and changes no result
};

}  // namespace aliquot
