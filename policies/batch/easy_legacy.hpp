// EASY-LEGACY: EASY as the simulator behind the published figures has it (DFRS, V), kept to reproduce them.
//
// A later job may start only on idle nodes that the first job's reservation does not need, even if it would
// end before that reservation begins. EASY proper (easy.hpp) lets it borrow them; without that, there is
// next to no backfilling, and the results are near those of FCFS. Not for use: for comparison.
#pragma once

#include "policies/policy.hpp"

namespace aliquot {

class EasyLegacy : public Policy {
 public:
  [[nodiscard]] std::string name() const override { return "EASY-LEGACY"; }
  [[nodiscard]] std::optional<Duration> period() const override { return std::nullopt; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;
};

}  // namespace aliquot
