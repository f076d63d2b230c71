#include "policies/placement/auction.hpp"

#include <algorithm>
#include <numeric>

#include "policies/placement/bids.hpp"
#include "policies/placement/contiguity.hpp"

namespace aliquot {

namespace {

constexpr int kRounds = 2;

bool is_free(const ip::Instance& instance, const std::vector<ip::Spot>& spots, const ip::NodeCells& nodes) {
  return std::all_of(spots.begin(), spots.end(), [&](const ip::Spot& spot) {
    const ip::Request& r = instance.requests[spot.request];
    const ip::Cell& cell = *nodes[spot.node];
    return std::uint64_t{spot.units} * r.cpu <= cell.cpu &&
           std::uint64_t{spot.units} * r.memory <= cell.memory && r.devices <= cell.devices[spot.device];
  });
}

class Auction {
 public:
  Auction(const Window& window, const std::vector<bool>& contiguous, std::uint32_t max_bids,
          Settlement& settled)
      : window_(window), contiguous_(contiguous), max_bids_(max_bids), settled_(settled) {}

  void hold() {
    std::vector<std::uint32_t> order(settled_.spots.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return window_.instance.requests[a].weight > window_.instance.requests[b].weight;
    });
    for (int round = 0; round < kRounds; ++round) {
      for (const std::uint32_t request : order) {
        if (!settled_.spots[request].empty()) improve(request);
      }
    }
    for (const std::uint32_t request : order) {
      if (settled_.spots[request].empty()) enter(request);
    }
  }

 private:
  [[nodiscard]] std::vector<ip::Bid> bids(std::uint32_t request) const {
    return ip::bids_of(window_.instance, request, window_.cells, contiguous_[request], max_bids_);
  }

  // To the bid of the highest preference that is free, if that is above what it has.
  void improve(std::uint32_t request) {
    std::vector<ip::Spot>& spots = settled_.spots[request];
    double has = ip::preference_of(window_.instance, request, window_.cells, spots);
    ip::take_spots(window_.instance, spots, settled_.left, -1);
    for (ip::Bid& bid : bids(request)) {
      if (bid.preference <= has) break;
      if (!is_free(window_.instance, bid.spots, settled_.left)) continue;
      spots = std::move(bid.spots);
      break;
    }
    ip::take_spots(window_.instance, spots, settled_.left);
  }

  void enter(std::uint32_t request) {
    for (ip::Bid& bid : bids(request)) {
      if (!is_free(window_.instance, bid.spots, settled_.left)) continue;
      ip::take_spots(window_.instance, bid.spots, settled_.left);
      settled_.incumbent += ip::value_of(window_.instance, window_.instance.requests[request],
                                         static_cast<std::uint32_t>(bid.spots.size()));
      settled_.spots[request] = std::move(bid.spots);
      return;
    }
  }

  const Window& window_;
  const std::vector<bool>& contiguous_;
  std::uint32_t max_bids_;
  Settlement& settled_;
};

}  // namespace

void hold_auction(const Window& window, const std::vector<bool>& contiguous, std::uint32_t max_bids,
                  Settlement& settled) {
  Auction(window, contiguous, max_bids, settled).hold();
}

}  // namespace aliquot
