// One request on nodes that stand side by side: the runs of nodes that could hold it.
//
// Works on nodes, not on classes: a run may go over nodes on which different amounts are free. The request
// asks for the same model of devices on all of them.
#pragma once

#include <vector>

#include "policies/placement/assign.hpp"

namespace aliquot::ip {

// Units of the request that the node could hold, at most `per_node` where that is asked for; 0: none, or
// not the devices it asks for. `device` is set to the index of the model taken.
[[nodiscard]] std::uint32_t units_on(const Instance& instance, const Request& request, const Cell& free,
                                     std::uint16_t& device);

// The same for every node, and the model.
struct Offer {
  std::uint32_t units = 0;
  std::uint16_t device = 0;
};
[[nodiscard]] std::vector<Offer> offers(const Instance& instance, std::uint32_t request,
                                        const NodeCells& nodes);

// Nodes [first, end) of the offers dealt out to the request; empty if they do not hold it, or not in a way
// that it asks for. Uses no more of them than it needs, from the front or, `from_back`, from the back.
[[nodiscard]] std::vector<Spot> deal(const Instance& instance, std::uint32_t request,
                                     const std::vector<Offer>& offered, std::uint32_t first,
                                     std::uint32_t end, bool from_back = false);

// On the shortest run of nodes there is, the first of several; empty: there is none.
[[nodiscard]] std::vector<Spot> shortest_run(const Instance& instance, std::uint32_t request,
                                             const NodeCells& nodes);

// Taken off what is free, in this order; given back, of requests that ask for no slice.
void take_spots(const Instance& instance, const std::vector<Spot>& spots, NodeCells& nodes);
void give_spots(const Instance& instance, const std::vector<Spot>& spots, NodeCells& nodes);

}  // namespace aliquot::ip
