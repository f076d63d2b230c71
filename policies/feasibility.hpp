// Whether a job that asks for devices or a spread could ever be placed. If not, the first reason, as a
// clause that continues "the job ..." and says what the cluster has: for its submitter, and for `why`.
//
// A contradiction is found without a cluster, every other reason for the empty cluster. The answer is exact
// for the job alone: a node with its devices holds as many of its tasks as memory and guaranteed CPU allow.
// Other jobs and the policy in force have no influence. A job stands on nodes of one hypervisor kind.
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

// "2 V100", "1 device", "300 parts of 1 T4", "1 V100M16 or V100M32".
[[nodiscard]] std::string text_of(const DeviceDemand& demand, const std::vector<std::string>& models);

}  // namespace aliquot
