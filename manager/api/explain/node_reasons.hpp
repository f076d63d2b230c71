// The reasons for which nodes cannot take a job, counted by kind of node: nodes with equal capacity, memory
// and devices are of the same kind. Independent of the policy: compares the free resources of each node
// with the demand of the job. Pure; the work is proportional to the number of nodes and jobs.
#pragma once

#include <string>
#include <vector>

#include "policies/policy.hpp"

namespace aliquot {

struct KindReasons {
  std::string kind;  // "2 cores, 4096 MiB, 2 V100"
  std::uint32_t nodes = 0;
  std::vector<NodeCount> reasons;  // most frequent first; their counts add up to `nodes`
};

// What one node can offer to one job.
struct NodeOffer {
  NodeId node;
  std::int64_t tasks = 0;  // of the job, that the node could take now
  Memory free;
  Cpu load;            // needs of all tasks on the node
  Cpu unpromised;      // CPU that is not needed for guaranteed yields
  bool taken = false;  // some task is on the node
  std::string why;     // why it takes none, or that it can take some
};

// For a placed job its own nodes, for any other job all nodes.
[[nodiscard]] std::vector<NodeOffer> node_offers(const ClusterView& view, const Policy& policy,
                                                 const Job& job, Reason reason);
[[nodiscard]] std::vector<KindReasons> count_by_kind(const ClusterView& view,
                                                     const std::vector<NodeOffer>& offers);

}  // namespace aliquot
