// Small instances of the exact packing (policies/packing/exact/best_yield), and the best yield of each by
// trying all places for all tasks.
#pragma once

#include <algorithm>
#include <vector>

#include "policies/packing/exact/best_yield.hpp"
#include "test/support/random_view.hpp"

namespace aliquot::test {

struct Instance {
  std::vector<YieldShape> shapes;
  std::vector<YieldNodes> kinds;
};

// Percent of a node, as in the other tests of packings.
inline YieldShape shape(std::int64_t need, std::int64_t memory, std::int64_t count,
                        std::int64_t floor_ppm = 0) {
  return {{need * 10'000}, mebibytes(memory), {floor_ppm}, count};
}
inline YieldNodes plain(std::int64_t count) { return {cores(1), mebibytes(100), {}, count}; }

// The best there is, by trying all places for all tasks.
class Oracle {
 public:
  explicit Oracle(const Instance& instance, bool rounded_down = false)
      : instance_(instance), rounded_down_(rounded_down) {
    for (std::size_t s = 0; s < instance.shapes.size(); ++s) {
      tasks_.insert(tasks_.end(), static_cast<std::size_t>(instance.shapes[s].count), s);
    }
    for (const YieldNodes& kind : instance.kinds) {
      nodes_.insert(nodes_.end(), static_cast<std::size_t>(kind.count), {kind, {}});
    }
  }
  // -1: there is no packing.
  std::int64_t best() {
    place(0);
    return best_;
  }

 private:
  struct Open {
    YieldNodes kind;
    std::vector<std::size_t> shapes;
  };
  bool fits(const Open& node, std::int64_t ppm) const {
    std::int64_t memory = 0;
    Int128 cpu = static_cast<Int128>(node.kind.taken.raw) * ppm;
    for (const std::size_t s : node.shapes) {
      memory += instance_.shapes[s].memory.raw;
      if (rounded_down_) {
        cpu += static_cast<Int128>((instance_.shapes[s].need * Yield{ppm}).raw) * kMillion;
        continue;
      }
      cpu +=
          static_cast<Int128>(instance_.shapes[s].need.raw) * std::max(ppm, instance_.shapes[s].floor.raw);
    }
    return memory <= node.kind.memory.raw && cpu <= static_cast<Int128>(node.kind.capacity.raw) * kMillion;
  }
  void place(std::size_t task) {
    if (task == tasks_.size()) {
      while (best_ < kMillion &&
             std::all_of(nodes_.begin(), nodes_.end(), [&](const Open& n) { return fits(n, best_ + 1); })) {
        std::int64_t low = best_ + 1;  // it fits there
        for (std::int64_t high = kMillion + 1; high - low > 1;) {
          const std::int64_t middle = (low + high) / 2;
          const bool all =
              std::all_of(nodes_.begin(), nodes_.end(), [&](const Open& n) { return fits(n, middle); });
          (all ? low : high) = middle;
        }
        best_ = low;
      }
      return;
    }
    for (Open& node : nodes_) {
      node.shapes.push_back(tasks_[task]);
      if (fits(node, best_ + 1)) place(task + 1);
      node.shapes.pop_back();
    }
  }

  const Instance& instance_;
  const bool rounded_down_;
  std::vector<std::size_t> tasks_;
  std::vector<Open> nodes_;
  std::int64_t best_ = 0;  // the levels begin at a millionth
};

inline Instance tiny(Dice& dice) {
  Instance made;
  const bool unlike = dice.chance(40);
  const bool grid = dice.chance(50);
  const bool floors = dice.chance(30);
  for (std::int64_t k = unlike ? 2 : 1; k > 0; --k) {
    YieldNodes kind = plain(dice.between(1, unlike ? 2 : 4));
    if (unlike)
      kind = {{dice.between(500'000, 2'000'000)}, mebibytes(dice.between(50, 150)), {}, kind.count};
    if (dice.chance(20)) kind.taken = {dice.between(0, 700'000)};
    made.kinds.push_back(kind);
  }
  std::int64_t tasks = dice.between(1, 7);
  while (tasks > 0) {
    const std::int64_t count = std::min<std::int64_t>(tasks, dice.between(1, 3));
    YieldShape s =
        grid ? shape(25 * dice.between(0, 4), 10 * dice.between(1, 7), count)
             : YieldShape{{dice.between(1, 1'200'000)}, {dice.between(0, mebibytes(70).raw)}, {}, count};
    if (floors && dice.chance(40)) s.floor = {dice.between(1, 600'000)};
    made.shapes.push_back(s);
    tasks -= count;
  }
  return made;
}

}  // namespace aliquot::test
