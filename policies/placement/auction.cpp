#include "policies/placement/auction.hpp"

#include <algorithm>
#include <numeric>

#include "policies/placement/bids.hpp"
#include "policies/placement/cells.hpp"
#include "policies/placement/contiguity.hpp"

namespace aliquot {

namespace {

bool is_free(const ip::Instance& instance, const std::vector<ip::Spot>& spots, const ip::NodeCells& nodes) {
  return std::all_of(spots.begin(), spots.end(), [&](const ip::Spot& spot) {
    const ip::Request& r = instance.requests[spot.request];
    const ip::Cell& cell = *nodes[spot.node];
    return std::uint64_t{spot.units} * r.cpu <= cell.cpu &&
           std::uint64_t{spot.units} * r.memory <= cell.memory && ip::has(cell, r, spot.device);
  });
}

class Auction {
 public:
  Auction(const Window& window, const std::vector<bool>& contiguous, std::uint32_t max_bids,
          Settlement& settled)
      : window_(window),
        contiguous_(contiguous),
        book_(window.instance, window.cells, max_bids),
        settled_(settled) {}

  void hold() {
    std::vector<std::uint32_t> order(settled_.spots.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return window_.instance.requests[a].weight > window_.instance.requests[b].weight;
    });
    for (const std::uint32_t request : order) {
      if (!settled_.spots[request].empty()) improve(request);
    }
    for (const std::optional<ip::Cell>& cell : settled_.left) free_cpu_ += cell ? cell->cpu : 0;
    for (const std::uint32_t request : order) {
      if (settled_.spots[request].empty()) enter(request);
    }
  }

 private:
  // The bid becomes this request's.
  void adopt(const ip::Bid& bid, std::uint32_t request) {
    std::vector<ip::Spot>& spots = settled_.spots[request];
    spots = bid.spots;
    for (ip::Spot& spot : spots) spot.request = request;
  }

  // To the bid of the highest preference that is free, if that is above what it has.
  void improve(std::uint32_t request) {
    // Others may have cut the same device since.
    if (window_.instance.requests[request].is_slice()) return;
    const std::vector<ip::Bid>& bids = book_.bids(request, contiguous_[request]);
    const double has = book_.preference(request, settled_.spots[request]);
    if (bids.empty() || bids.front().preference <= has) return;
    ip::give_spots(window_.instance, settled_.spots[request], settled_.left);
    for (const ip::Bid& bid : bids) {
      if (bid.preference <= has) break;
      if (!is_free(window_.instance, bid.spots, settled_.left)) continue;
      adopt(bid, request);
      break;
    }
    ip::take_spots(window_.instance, settled_.spots[request], settled_.left);
  }

  void enter(std::uint32_t request) {
    const ip::Request& r = window_.instance.requests[request];
    const std::uint64_t cpu = std::uint64_t{r.units} * r.cpu;
    if (cpu > free_cpu_) return;
    for (const ip::Bid& bid : book_.bids(request, contiguous_[request])) {
      if (!is_free(window_.instance, bid.spots, settled_.left)) continue;
      adopt(bid, request);
      ip::take_spots(window_.instance, settled_.spots[request], settled_.left);
      settled_.order.push_back(request);
      free_cpu_ -= cpu;
      settled_.incumbent += ip::value_of(window_.instance, r, static_cast<std::uint32_t>(bid.spots.size()));
      return;
    }
  }

  const Window& window_;
  const std::vector<bool>& contiguous_;
  ip::BidBook book_;
  std::uint64_t free_cpu_ = 0;
  Settlement& settled_;
};

}  // namespace

void hold_auction(const Window& window, const std::vector<bool>& contiguous, std::uint32_t max_bids,
                  Settlement& settled) {
  Auction(window, contiguous, max_bids, settled).hold();
}

}  // namespace aliquot
