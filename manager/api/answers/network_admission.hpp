// Decides which network a job gets, and whether the nodes have what it asks for (docs/network.md). Pure.
#pragma once

#include <optional>
#include <vector>

#include "config/settings.hpp"
#include "manager/api/wire/request.hpp"
#include "policies/model/error.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

// The network that the job gets: as its user asks, or as the site has it for jobs that do not say. Refused
// where the site gives none.
[[nodiscard]] Result<std::optional<JobNetwork>> network_to_give(const Submit& asked,
                                                                const NetworkSettings& site);

// The memory that a task is charged at least, if it asks for this bandwidth: the same part of a node's
// memory as of its bandwidth, on the node where that is most. No node then has tasks that ask for more
// bandwidth than it has, whatever the policy, for memory is never exceeded. 0: no node has its bandwidth
// counted.
[[nodiscard]] Memory bandwidth_charge(Bandwidth asked, const std::vector<Node>& nodes);

// Refuses a job whose VMs could not reach each other on these nodes, or that asks for bandwidth that none
// has.
[[nodiscard]] Result<void> check_network(const Submission& job, const std::vector<Node>& nodes);

}  // namespace aliquot
