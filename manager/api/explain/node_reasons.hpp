// Why the nodes do not do for a job, counted by kind of node: nodes with the same capacity, memory and
// devices are of one kind. Whatever the policy: it looks at what is free on each node and at what the job
// asks for there. Pure; the work is in proportion to nodes and jobs.
#pragma once

#include <string>
#include <vector>

#include "policies/model/plan.hpp"

namespace aliquot {

struct KindReasons {
  std::string kind;  // "2 cores, 4096 MiB, 2 V100"
  std::uint32_t nodes = 0;
  std::vector<NodeCount> reasons;  // most frequent first; their counts add up to `nodes`
};

// What one job would find on one node.
struct NodeOffer {
  NodeId node;
  std::int64_t tasks = 0;  // of the job, that it could take now
  Memory free;
  Cpu load;            // needs of all that stand there
  Cpu unpromised;      // CPU that is guaranteed to nobody
  bool taken = false;  // something stands there
  std::string why;     // it takes none, or that it would take some
};

// Of a job that is placed: the nodes it stands on. Of any other: all nodes.
[[nodiscard]] std::vector<NodeOffer> node_offers(const ClusterView& view, const Job& job, Reason reason);
[[nodiscard]] std::vector<KindReasons> count_by_kind(const ClusterView& view,
                                                     const std::vector<NodeOffer>& offers);

}  // namespace aliquot
