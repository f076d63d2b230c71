// Could a job that asks for devices or a spread ever be placed? If not, the one reason that comes first, as
// a clause that goes on after "the job" and says what there is: for whoever submits it, and for `why`.
//
// Contradictions need no cluster; the rest is asked of the empty cluster. Exact for one job alone: each
// node holds as many of its tasks as memory and guaranteed CPU allow, on a node with its devices. What
// else runs, and whatever policy decides, is not looked at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policies/model/view.hpp"

namespace aliquot {

// "asks for at least 4 nodes and at most 2".
[[nodiscard]] std::optional<std::string> contradiction(const Demand& demand);

// `usable_only`: on the nodes that are up now. The demand must not contradict itself.
[[nodiscard]] std::optional<std::string> impossible(const std::vector<Node>& nodes,
                                                    const std::vector<std::string>& models,
                                                    const Demand& demand, bool usable_only = false);

// "2 V100 on each of 8 nodes, 1 T4 on node n3"; "no devices".
[[nodiscard]] std::string device_inventory(const std::vector<Node>& nodes,
                                           const std::vector<std::string>& models);

// "2 V100", "1 device", "300 parts of 1 T4".
[[nodiscard]] std::string text_of(const DeviceDemand& demand, const std::vector<std::string>& models);

}  // namespace aliquot
