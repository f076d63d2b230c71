// AUCSCHED's bids: blocks of nodes that a job could run on (AUCSCHED, sec. 4.1-4.3).
//
// A nodeset is a maximal run of nodes that can each hold some units of the job, with its devices. Bids of
// type A lie at an end of a nodeset, of type B in its middle, of type C on several nodesets; each takes as
// few nodes as it can. Preferences follow (19) and Table 9: a bid at an end of a nodeset leaves the free
// nodes less fragmented. One repair: the papers' bids fix the nodes only. Here a bid also fixes the units
// on each node, so that bids of different jobs can share nodes without the double counting of (10) and
// (11).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/placement/model/runs.hpp"

namespace aliquot::ip {

struct Bid {
  std::vector<NodeAllocation> allocations;
  double preference = 0;  // F, in (0, 1]
};

// The bids of one request.
class Bids {
 public:
  Bids(const Instance& instance, std::uint32_t request, const NodeResources& nodes,
       std::uint32_t most_bids);

  // At most so many, by falling preference; none of type C for a contiguous request.
  [[nodiscard]] const std::vector<Bid>& all() const { return bids_; }

  // F of any allocation of the request, by the type of its layout.
  [[nodiscard]] double preference(const std::vector<NodeAllocation>& allocations) const;

 private:
  enum class Type : std::uint8_t { a, b, c };
  using NodeSet = std::span<const NodeAllocation>;  // of fits_

  void find_nodesets();
  void add_within_nodesets(std::uint32_t most_bids);
  void add_across_nodesets(std::uint32_t most_bids);
  void add(std::vector<NodeAllocation> allocations, Type type);
  [[nodiscard]] double preference(Type type, std::size_t nodes, std::size_t used, std::size_t sets) const;

  const Request& request_;
  std::size_t nodes_;  // of the cluster
  std::vector<NodeAllocation> fits_;
  std::vector<NodeSet> sets_;
  std::vector<Bid> bids_;
};

}  // namespace aliquot::ip
