// AUCSCHED's bids: blocks of nodes that would do for a job (AUCSCHED, sec. 4.1-4.3).
//
// A nodeset is a maximal run of nodes that each can hold something of the job, with its devices. Bids of
// type A lie at the beginning or the end of one, of type B in its middle, of type C on several; each takes
// as few nodes as it can, and units as they come. Preferences follow (19) and Table 9: a bid that is
// aligned leaves less fragmented what is free. One repair: on the papers' nodesets a bid fixes its nodes
// alone; here it fixes the units on them too, so that bids of different jobs may share nodes without the
// double counting of (10) and (11).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "policies/placement/assign.hpp"
#include "policies/placement/contiguity.hpp"

namespace aliquot::ip {

struct Bid {
  std::vector<Spot> spots;
  double preference = 0;  // F, in (0, 1]
};

// The bids on these nodes, made once for all requests of a shape. Refers to the instance.
class BidBook {
 public:
  BidBook(const Instance& instance, const NodeCells& nodes, std::uint32_t most)
      : instance_(instance), nodes_(nodes), most_(most) {}

  // At most `most`, by falling preference; over several nodesets only unless `contiguous`. The spots name a
  // request of the same shape. Valid until another shape is asked about.
  [[nodiscard]] const std::vector<Bid>& bids(std::uint32_t request, bool contiguous);

  // F of any set of nodes that the request may get: of the type that its layout has.
  [[nodiscard]] double preference(std::uint32_t request, const std::vector<Spot>& spots);

 private:
  struct NodeSet {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
  };
  struct Page {
    std::uint32_t request = 0;
    std::vector<Offer> offered;
    std::vector<NodeSet> sets;
    std::array<std::optional<std::vector<Bid>>, 2> bids;  // not contiguous, contiguous
  };
  class Bidder;

  Page& page(std::uint32_t request);

  const Instance& instance_;
  const NodeCells& nodes_;
  std::uint32_t most_;
  std::vector<Page> pages_;
};

}  // namespace aliquot::ip
