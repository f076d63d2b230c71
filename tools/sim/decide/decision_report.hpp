// One decision for a reader, and as JSON for a program. Nodes are named by their numbers: names come from
// outside.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/sim/decide/one_decision.hpp"

namespace aliquot {

// At most kMostRows rows of a list; what is left out is counted.
inline constexpr std::size_t kMostRows = 40;

[[nodiscard]] std::string decision_text(const ClusterView& view, const OneDecision& made);
[[nodiscard]] nlohmann::ordered_json decision_json(const OneDecision& made);

}  // namespace aliquot
