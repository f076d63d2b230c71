// Suggests what would improve the state of a job: for each reason what would have to happen, with figures
// and the command to type, the most likely first. Never empty for a job that lacks something: of
// one whose memory is lent to others, too. Pure.
#pragma once

#include <string>
#include <vector>

#include "manager/api/explain/node_reasons.hpp"
#include "manager/core/state.hpp"

namespace aliquot {

[[nodiscard]] std::vector<std::string> remedies(const CoreState& state, const Job& job,
                                                const Explanation& why,
                                                const std::vector<NodeOffer>& offers);

}  // namespace aliquot
