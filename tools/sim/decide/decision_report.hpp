// Prints one decision as text and as JSON. Nodes appear by number, because their names come from outside.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/sim/decide/one_decision.hpp"

namespace aliquot {

// The text has at most kMostRows rows of a list, and counts the others.
inline constexpr std::size_t kMostRows = 40;

[[nodiscard]] std::string decision_text(const ClusterView& view, const OneDecision& made);
[[nodiscard]] nlohmann::ordered_json decision_json(const OneDecision& made);

}  // namespace aliquot
