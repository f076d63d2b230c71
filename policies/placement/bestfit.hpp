// BESTFIT: one job at a time, in the order of submission, each on the fewest nodes that hold it; the first
// that finds no room holds up the rest. What the papers measure themselves against (IPSCHED, Table 1): it
// puts a job without devices on as few nodes as it can, and devices there are lost to everybody.
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
