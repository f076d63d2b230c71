// Nodes that fail and are repaired again and again, by seed: a renewal process.
//
// Of each node, independently: the time from a repair (or the beginning) to the next failure, and the time
// of the repair, are exponentially distributed with the means `mtbf` and `mttr`. A number is a function of
// the seed, the node and how often it has failed: what else happens changes nothing.
#pragma once

#include "manager/hypervisor/model/chance.hpp"
#include "manager/hypervisor/model/model_options.hpp"

namespace aliquot::model {

// The failure number `number` (from 1) of this node, which was repaired, or first up, at `since`.
[[nodiscard]] Outage draw_failure(const Chance& chance, const ModelOptions& options, NodeId node,
                                  std::uint32_t number, Instant since);

}  // namespace aliquot::model
