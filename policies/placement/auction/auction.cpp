#include "policies/placement/auction/auction.hpp"

#include <algorithm>

#include "policies/placement/auction/bids.hpp"
#include "policies/placement/model/devices.hpp"

namespace aliquot {

namespace {

bool is_free(const ip::Instance& instance, const ip::Bid& bid, const ip::NodeResources& nodes) {
  return std::all_of(bid.allocations.begin(), bid.allocations.end(), [&](const ip::NodeAllocation& a) {
    const ip::Request& r = instance.requests[a.request];
    const ip::FreeResources& free = *nodes[a.node];
    return std::uint64_t{a.units} * r.cpu <= free.cpu && std::uint64_t{a.units} * r.memory <= free.memory &&
           ip::has_device(free, r, a.device);
  });
}

// Moves the job to its free bid of the highest preference, if that is above its own.
void improve(const Window& window, std::uint32_t request, std::uint32_t max_bids,
             WindowPlacement& placement) {
  // A slice stays: another job may have got a slice of the same device since.
  if (window.instance.requests[request].is_slice()) return;
  const ip::Bids bids(window.instance, request, window.nodes, max_bids);
  std::vector<ip::NodeAllocation>& allocations = placement.allocations[request];
  const double own = bids.preference(allocations);
  ip::release(window.instance, allocations, placement.left);
  for (const ip::Bid& bid : bids.all()) {
    if (bid.preference <= own) break;
    if (!is_free(window.instance, bid, placement.left)) continue;
    allocations = bid.allocations;
    break;
  }
  ip::allocate(window.instance, allocations, placement.left);
}

// With its free bid of the highest preference, if it has one.
void start(const Window& window, std::uint32_t request, std::uint32_t max_bids,
           WindowPlacement& placement) {
  const ip::Bids bids(window.instance, request, window.nodes, max_bids);
  for (const ip::Bid& bid : bids.all()) {
    if (!is_free(window.instance, bid, placement.left)) continue;
    ip::allocate(window.instance, bid.allocations, placement.left);
    placement.allocations[request] = bid.allocations;
    placement.order.push_back(request);
    placement.incumbent += ip::objective_value(window.instance, window.instance.requests[request],
                                               static_cast<std::uint32_t>(bid.allocations.size()));
    return;
  }
}

}  // namespace

void run_auction(const Window& window, std::uint32_t max_bids, WindowPlacement& placement) {
  const std::vector<std::uint32_t> order = by_weight(window.instance);
  for (const std::uint32_t request : order) {
    if (placement.starts(request)) improve(window, request, max_bids, placement);
  }
  for (const std::uint32_t request : order) {
    if (!placement.starts(request)) start(window, request, max_bids, placement);
  }
}

}  // namespace aliquot
