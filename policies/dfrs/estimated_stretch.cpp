#include "policies/dfrs/estimated_stretch.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "policies/dfrs/average_yield.hpp"
#include "policies/dfrs/max_min_yield.hpp"

namespace aliquot {

namespace {

// The placed jobs of a draft, each with its line, and the highest level that all nodes allow.
class Levels {
 public:
  Levels(const Draft& draft, Duration horizon)
      : draft_(draft),
        capacity_(draft.nodes(), draft.memory()),
        given_(draft.nodes(), draft.memory()),
        placed_(draft.memory()),
        on_node_(draft.memory()) {
    for (const NodeRun& nodes : draft.node_runs()) {
      std::fill_n(capacity_.data() + nodes.first, nodes.count, nodes.capacity);
    }
    for (const std::uint32_t i : draft.placed_entries()) {
      const Job& job = draft.job(i);
      placed_.push_back(
          {i, draft.placement(i), job.demand.need, stretch_line(job, draft.view().now, horizon)});
    }
  }

  // Goes down from level 1, to what the most overloaded node allows, until no node is overloaded. None:
  // some node does not even allow level 0.
  [[nodiscard]] std::optional<Yield> highest() {
    Yield level = kFullYield;
    while (const std::optional<NodeId> node = most_overloaded(level)) {
      gather(*node);
      if (!fits(*node, Yield{0})) return std::nullopt;
      Yield low{0};
      for (Yield high = level; high.raw - low.raw > 1;) {
        const Yield middle{(low.raw + high.raw) / 2};
        (fits(*node, middle) ? low : high) = middle;
      }
      level = low;
    }
    return level;
  }

  [[nodiscard]] Yields yields(Yield level) const {
    Yields yields(draft_.size(), draft_.memory());
    for (const Placed& placed : placed_) yields[placed.entry] = placed.line.at(level);
    return yields;
  }

 private:
  struct Placed {
    std::uint32_t entry;
    Shares shares;
    Cpu need;
    YieldLine line;
  };
  struct OnNode {
    std::size_t placed;
    std::uint32_t units;
  };

  [[nodiscard]] std::optional<NodeId> most_overloaded(Yield level) {
    std::fill(given_.begin(), given_.end(), Cpu{});
    for (const Placed& placed : placed_) {
      const Cpu each = placed.need * placed.line.at(level);
      for (const Share& share : placed.shares) given_[share.node.raw] += each * share.units;
    }
    std::optional<NodeId> most;
    Cpu excess;
    for (std::uint32_t n = 0; n < given_.size(); ++n) {
      if (given_[n] - capacity_[n] <= excess) continue;
      excess = given_[n] - capacity_[n];
      most = NodeId{n};
    }
    return most;
  }

  // Gathers the jobs that have tasks on the node.
  void gather(NodeId node) {
    on_node_.clear();
    for (std::size_t k = 0; k < placed_.size(); ++k) {
      const Shares& shares = placed_[k].shares;
      const auto at = std::lower_bound(shares.begin(), shares.end(), Share{node, 0});
      if (at != shares.end() && at->node == node) on_node_.push_back({k, at->units});
    }
  }
  [[nodiscard]] bool fits(NodeId node, Yield level) const {
    Cpu given;
    for (const OnNode& here : on_node_) {
      const Placed& placed = placed_[here.placed];
      given += placed.need * placed.line.at(level) * here.units;
    }
    return given <= capacity_[node.raw];
  }

  const Draft& draft_;
  std::pmr::vector<Cpu> capacity_;
  std::pmr::vector<Cpu> given_;
  std::pmr::vector<Placed> placed_;
  std::pmr::vector<OnNode> on_node_;  // of the node that was gathered last
};

// Level 0 may be too high where another policy left a node with more than a hundred times its capacity
// asked for: then the highest common yield is all there is to give.
Yields highest_yields(const Draft& draft, Duration horizon) {
  Levels levels(draft, horizon);
  const std::optional<Yield> level = levels.highest();
  return level ? levels.yields(*level) : max_min_yields(draft);
}

}  // namespace

YieldLine stretch_line(const Job& job, Instant now, Duration horizon) {
  const Int128 flow = (now - job.submitted).raw;
  return {flow + horizon.raw, job.progress.at(now).raw, horizon.raw,
          std::max(kStretchFloor, job.demand.min_yield)};
}

Yields stretch_yields(const Draft& draft, Duration horizon) {
  Yields yields = highest_yields(draft, horizon);
  std::pmr::vector<std::pair<Int128, std::uint32_t>> ranked(draft.memory());  // ties by id
  for (const std::uint32_t i : draft.placed_entries()) {
    const Job& job = draft.job(i);
    const Duration span = draft.view().now - job.submitted + horizon;
    ranked.emplace_back(static_cast<Int128>((job.demand.need * job.demand.tasks).raw) * span.raw, i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::pmr::vector<std::uint32_t> order(draft.memory());
  order.reserve(ranked.size());
  for (const auto& [cost, i] : ranked) order.push_back(i);
  raise_yields_in_order(draft, order, yields);
  return yields;
}

}  // namespace aliquot
