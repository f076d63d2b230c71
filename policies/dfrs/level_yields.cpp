#include "policies/dfrs/level_yields.hpp"

#include <functional>
#include <optional>
#include <queue>
#include <utility>

#include "policies/dfrs/fair_yields.hpp"
#include "policies/packing/search.hpp"

namespace aliquot {

namespace {

class Filling {
 public:
  Filling(const Draft& draft, const PackingObjective& rule)
      : draft_(draft), yields_(draft.size()), nodes_(draft.nodes()), rising_(draft.size()) {
    for (std::size_t n = 0; n < draft.nodes(); ++n) nodes_[n].spare = draft.node(n).capacity;
    for (std::size_t i = 0; i < draft.size(); ++i) {
      rising_[i] = draft.placed(i);
      lines_.push_back(rule.line(draft.job(i)));
      for (const Share& share : draft.placement(i)) nodes_[share.node.raw].jobs.push_back({i, share.units});
    }
  }

  // False: not even the lowest level fits, here and in fill().
  [[nodiscard]] bool set_common_level() {
    Yield level = kFullYield;
    for (const NodeState& node : nodes_) {
      if (holds(node, level)) continue;
      const auto highest = level_of(node);
      if (!highest) return false;
      level = *highest;
    }
    for (std::size_t i = 0; i < yields_.size(); ++i)
      if (rising_[i]) yields_[i] = lines_[i].at(level);
    return true;
  }

  [[nodiscard]] bool fill() {
    if (!find_levels()) return false;
    // The levels of the others only rise when jobs are frozen: a stale one is too low, and put back.
    while (!lowest_.empty()) {
      const auto [level, n] = lowest_.top();
      lowest_.pop();
      const Yield now = *level_of(nodes_[n]);
      if (now.raw > level) {
        lowest_.push({now.raw, n});
      } else {
        for (const Units& u : nodes_[n].jobs) freeze(u.entry, now);
      }
    }
    return true;
  }

  [[nodiscard]] Yields take() { return std::move(yields_); }

 private:
  struct Units {
    std::size_t entry;
    std::uint32_t units;
  };
  struct NodeState {
    Cpu spare;  // beside the frozen jobs
    std::vector<Units> jobs;
  };

  [[nodiscard]] bool find_levels() {
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].jobs.empty()) continue;
      const auto level = level_of(nodes_[n]);
      if (!level) return false;
      lowest_.push({level->raw, n});
    }
    return true;
  }

  [[nodiscard]] bool holds(const NodeState& node, Yield level) const {
    Cpu given;
    for (const Units& u : node.jobs) {
      if (!rising_[u.entry]) continue;
      given += draft_.job(u.entry).demand.need * lines_[u.entry].at(level) * u.units;
    }
    return given <= node.spare;
  }

  // The highest level at which the node holds the jobs that still rise; none: no level.
  [[nodiscard]] std::optional<Yield> level_of(const NodeState& node) const {
    if (holds(node, kFullYield)) return kFullYield;
    if (!holds(node, Yield{0})) return std::nullopt;
    return highest_that_works(Yield{0}, kFullYield, [&](Yield level) { return holds(node, level); });
  }

  void freeze(std::size_t i, Yield level) {
    if (!rising_[i]) return;
    rising_[i] = false;
    const Job& job = draft_.job(i);
    yields_[i] = lines_[i].at(level);
    for (const Share& share : draft_.placement(i)) {
      nodes_[share.node.raw].spare -= job.demand.need * yields_[i] * share.units;
    }
  }

  using LevelAndNode = std::pair<std::int64_t, std::uint32_t>;

  const Draft& draft_;
  std::vector<YieldLine> lines_;  // by entry
  Yields yields_;
  std::vector<NodeState> nodes_;
  std::vector<bool> rising_;
  std::priority_queue<LevelAndNode, std::vector<LevelAndNode>, std::greater<>> lowest_;
};

}  // namespace

Yields common_level_yields(const Draft& draft, const PackingObjective& rule) {
  Filling filling(draft, rule);
  return filling.set_common_level() ? filling.take() : max_min_yields(draft);
}

Yields progressive_filling(const Draft& draft, const PackingObjective& rule) {
  Filling filling(draft, rule);
  return filling.fill() ? filling.take() : max_min_yields(draft);
}

}  // namespace aliquot
