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

class Auction {
 public:
  Auction(const Window& window, const std::vector<bool>& contiguous, std::uint32_t max_bids,
          WindowPlacement& placement)
      : instance_(window.instance),
        contiguous_(contiguous),
        bids_(window.instance, window.nodes, max_bids),
        placement_(placement) {}

  void run() {
    const std::vector<std::uint32_t> order = by_weight(instance_);
    for (const std::uint32_t request : order) {
      if (placement_.starts(request)) improve(request);
    }
    for (const auto& free : placement_.left) free_cpu_ += free ? free->cpu : 0;
    for (const std::uint32_t request : order) {
      if (!placement_.starts(request)) start(request);
    }
  }

 private:
  void award(const ip::Bid& bid, std::uint32_t request) {
    std::vector<ip::NodeAllocation>& allocations = placement_.allocations[request];
    allocations = bid.allocations;
    for (ip::NodeAllocation& a : allocations) a.request = request;
  }

  // Moves the job to its free bid of the highest preference, if that is above its own.
  void improve(std::uint32_t request) {
    // A slice stays: another job may have got a slice of the same device since.
    if (instance_.requests[request].is_slice()) return;
    const std::vector<ip::Bid>& bids = bids_.bids(request, contiguous_[request]);
    const std::vector<ip::NodeAllocation>& allocations = placement_.allocations[request];
    const double own = bids_.preference(request, allocations);
    if (bids.empty() || bids.front().preference <= own) return;
    ip::release(instance_, allocations, placement_.left);
    for (const ip::Bid& bid : bids) {
      if (bid.preference <= own) break;
      if (!is_free(instance_, bid, placement_.left)) continue;
      award(bid, request);
      break;
    }
    ip::allocate(instance_, allocations, placement_.left);
  }

  void start(std::uint32_t request) {
    const ip::Request& r = instance_.requests[request];
    const std::uint64_t cpu = std::uint64_t{r.units} * r.cpu;
    if (cpu > free_cpu_) return;
    for (const ip::Bid& bid : bids_.bids(request, contiguous_[request])) {
      if (!is_free(instance_, bid, placement_.left)) continue;
      award(bid, request);
      ip::allocate(instance_, placement_.allocations[request], placement_.left);
      placement_.order.push_back(request);
      free_cpu_ -= cpu;
      placement_.incumbent +=
          ip::objective_value(instance_, r, static_cast<std::uint32_t>(bid.allocations.size()));
      return;
    }
  }

  const ip::Instance& instance_;
  const std::vector<bool>& contiguous_;
  ip::BidGenerator bids_;
  std::uint64_t free_cpu_ = 0;
  WindowPlacement& placement_;
};

}  // namespace

void run_auction(const Window& window, const std::vector<bool>& contiguous, std::uint32_t max_bids,
                 WindowPlacement& placement) {
  Auction(window, contiguous, max_bids, placement).run();
}

}  // namespace aliquot
