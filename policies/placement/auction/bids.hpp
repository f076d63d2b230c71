// AUCSCHED's bids: blocks of nodes that a job could run on (AUCSCHED, sec. 4.1-4.3).
//
// A nodeset is a maximal run of nodes that can each hold some units of the job, with its devices. Bids of
// type A lie at an end of a nodeset, of type B in its middle, of type C on several nodesets; each takes as
// few nodes as it can. Preferences follow (19) and Table 9: a bid at an end of a nodeset leaves the free
// nodes less fragmented. One repair: the papers' bids fix the nodes only. Here a bid also fixes the units
// on each node, so that bids of different jobs can share nodes without the double counting of (10) and
// (11).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "policies/placement/auction/contiguity.hpp"

namespace aliquot::ip {

struct Bid {
  std::vector<NodeAllocation> allocations;
  double preference = 0;  // F, in (0, 1]
};

// Makes the bids of the requests, once for all requests of a shape. Refers to its arguments.
class BidGenerator {
 public:
  BidGenerator(const Instance& instance, const NodeResources& nodes, std::uint32_t most_bids)
      : instance_(instance), nodes_(nodes), most_bids_(most_bids) {}

  // At most so many bids, by falling preference; `contiguous`: none of type C. The allocations name a
  // request of the same shape. Valid until another shape is asked for.
  [[nodiscard]] const std::vector<Bid>& bids(std::uint32_t request, bool contiguous);

  // F of any allocation of the request, by the type of its layout.
  [[nodiscard]] double preference(std::uint32_t request, const std::vector<NodeAllocation>& allocations);

 private:
  struct NodeSet {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
  };
  struct Shape {
    std::uint32_t request = 0;
    std::vector<NodeFit> fits;
    std::vector<NodeSet> sets;
    std::array<std::optional<std::vector<Bid>>, 2> bids;  // by `contiguous`
  };

  Shape& shape_of(std::uint32_t request);
  [[nodiscard]] std::vector<Bid> make_bids(const Shape& shape, bool contiguous) const;

  const Instance& instance_;
  const NodeResources& nodes_;
  std::uint32_t most_bids_;
  std::vector<Shape> shapes_;
};

}  // namespace aliquot::ip
