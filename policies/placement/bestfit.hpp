// BESTFIT, the baseline of IPSCHED's Table 1: one job at a time in the order of submission, each on the
// fewest nodes that hold it; the first that does not fit holds up the others. A job without devices fills a
// few nodes, and no other job can use the devices there.
#pragma once

#include "policies/policy.hpp"

namespace aliquot {

class BestFit : public Policy {
 public:
  [[nodiscard]] std::string name() const override { return "BESTFIT"; }
  [[nodiscard]] std::optional<Duration> period() const override { return std::nullopt; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;
};

}  // namespace aliquot
