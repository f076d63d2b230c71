#include "policies/packing/exact/pattern_knapsack.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace aliquot {

namespace {

constexpr std::uint64_t kMostSteps = 60'000;  // of one search
constexpr std::uint64_t kPatience = 60;       // steps after an improving pattern was found
constexpr int kMostOthers = 8;                // searches beside the shapes of the patterns found
constexpr int kMixtureHalvings = 10;
constexpr double kSafely = 1 + 1e-12;  // more than what a handful of roundings of doubles can lose
constexpr double kNoRate = std::numeric_limits<double>::max();

// A price of the node's resources: what a unit of CPU and a unit of memory cost.
struct Prices {
  double cpu = 0;
  double memory = 0;
  [[nodiscard]] double of(const TaskSize& size) const {
    return cpu * static_cast<double>(size.cpu.raw) + memory * static_cast<double>(size.memory.raw);
  }
};

// What a set of items can be worth at most in some free CPU and memory: their best value for a price, times
// what is free at that price. It counts one unit more than is free, so that an item that takes nothing has
// any value.
class Relaxation {
 public:
  Relaxation() = default;
  Relaxation(const Prices& prices, double rate)
      : cpu_(scaled(rate, prices.cpu)), memory_(scaled(rate, prices.memory)) {}
  [[nodiscard]] double bound(double cpu, double memory) const {
    return cpu_ * (cpu + 1) + memory_ * (memory + 1);
  }

 private:
  static double scaled(double rate, double price) {
    if (price == 0) return 0;
    return rate == kNoRate ? kNoRate : rate * price * kSafely;
  }
  double cpu_ = 0;
  double memory_ = 0;
};

class Knapsack {
 public:
  Knapsack(std::span<const KnapsackItem> items, const NodeSize& node, std::int64_t known, KnapsackGoal goal)
      : node_(node), goal_(goal), known_(known), best_(known) {
    result_.bound = known;
    if (goal == KnapsackGoal::best || goal == KnapsackGoal::improving) slack_ = known >> 22;
    for (const KnapsackItem& item : items) {
      if (item.value > 0 && item.count > 0 && item.size.cpu <= node.cpu &&
          item.size.memory <= node.memory) {
        items_.push_back(item);
      }
    }
  }

  KnapsackResult solve() {
    if (node_.cpu.raw < 0 || node_.memory.raw < 0 || items_.empty()) return std::move(result_);
    sort_by_merit();
    excluded_.resize(items_.size(), false);
    search(0, node_.cpu.raw, node_.memory.raw, 0);
    result_.complete = !stopped_;
    result_.bound += slack_;
    if (stopped_) result_.bound = std::max(result_.bound, relaxed_bound());
    if (goal_ == KnapsackGoal::improving) search_among_others();
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kRelaxations = 3;  // by both resources, by CPU, by memory
  using Relaxations = std::array<Relaxation, kRelaxations>;

  static double rate_of(const KnapsackItem& item, const Prices& prices) {
    const double price = prices.of(item.size);
    return price > 0 ? static_cast<double>(item.value) / price : kNoRate;
  }

  // The mixture of CPU and memory by which a whole node is worth least at most: its bound is as good as
  // that of the linear program.
  [[nodiscard]] Prices best_mixture(const Prices& cpu, const Prices& memory) const {
    double low = 0;
    double high = 1;
    for (int halvings = 0; halvings < kMixtureHalvings; ++halvings) {
      // The item that takes least for its value bounds the node; more of which resource would it take?
      const double share = (low + high) / 2;
      double least = kNoRate;
      bool to_memory = false;
      for (const KnapsackItem& item : items_) {
        const double of_cpu = cpu.of(item.size) / static_cast<double>(item.value);
        const double of_memory = memory.of(item.size) / static_cast<double>(item.value);
        const double taken = of_cpu + share * (of_memory - of_cpu);
        if (taken >= least) continue;
        least = taken;
        to_memory = of_memory > of_cpu;
      }
      (to_memory ? low : high) = share;
    }
    const double share = (low + high) / 2;
    return {(1 - share) * cpu.cpu, share * memory.memory};
  }

  void sort_by_merit() {
    const Prices cpu{1 / static_cast<double>(std::max<std::int64_t>(node_.cpu.raw, 1)), 0};
    const Prices memory{0, 1 / static_cast<double>(std::max<std::int64_t>(node_.memory.raw, 1))};
    const std::array<Prices, kRelaxations> prices = {best_mixture(cpu, memory), cpu, memory};
    std::stable_sort(items_.begin(), items_.end(), [&](const KnapsackItem& a, const KnapsackItem& b) {
      return rate_of(a, prices[0]) > rate_of(b, prices[0]);
    });
    from_.resize(items_.size());
    std::array<double, kRelaxations> best_rate{};
    for (std::size_t k = items_.size(); k-- > 0;) {
      for (std::size_t t = 0; t < kRelaxations; ++t) {
        best_rate[t] = std::max(best_rate[t], rate_of(items_[k], prices[t]));
        from_[k][t] = Relaxation(prices[t], best_rate[t]);
      }
    }
  }

  // With what is taken so far, worth `value`, so much is left, and the items from `first` on.
  void search(std::size_t first, std::int64_t cpu, std::int64_t memory, std::int64_t value) {
    if (value > best_ + slack_ && cpu >= reserved_) record(value, cpu - reserved_);
    if (++result_.steps > limit_) stopped_ = true;
    for (std::size_t k = first; k < items_.size(); ++k) {
      const NodeSize free{{cpu - reserved_}, {memory}};
      const KnapsackItem& item = items_[k];
      if (stopped_ || free.cpu.raw < 0) return;
      if (item.size.cpu > free.cpu || item.size.memory > free.memory || excluded_[k]) continue;
      if (!can_add(best_ + slack_ + 1 - value, k, free)) return;
      pattern_.push_back({item.shape, 0});
      for (std::int64_t units = units_in(free, item.size, item.count); units > 0 && !stopped_; --units) {
        pattern_.back().units = static_cast<std::uint32_t>(units);
        search(k + 1, cpu - item.size.cpu.raw * units, memory - item.size.memory.raw * units,
               value + item.value * units);
      }
      pattern_.pop_back();
    }
  }

  // Patterns of none of the shapes of those found before: together they change many dual values at once.
  void search_among_others() {
    for (int others = 0; others < kMostOthers && !result_.found.empty(); ++others) {
      const std::size_t before = result_.found.size();
      for (std::size_t k = 0; k < items_.size(); ++k) {
        if (holds(result_.found.back(), items_[k].shape)) excluded_[k] = true;
      }
      best_ = known_;
      limit_ = result_.steps + kPatience;
      stopped_ = false;
      search(0, node_.cpu.raw, node_.memory.raw, 0);
      if (result_.found.size() == before) return;
      std::swap(result_.found[before], result_.found.back());  // the best of these alone
      result_.found.resize(before + 1);
    }
  }

  // May the items from `first` on be worth so much more?
  [[nodiscard]] bool can_add(std::int64_t wanted, std::size_t first, const NodeSize& free) const {
    const auto cpu = static_cast<double>(free.cpu.raw);
    const auto memory = static_cast<double>(free.memory.raw);
    return std::all_of(from_[first].begin(), from_[first].end(), [&](const Relaxation& relaxation) {
      return relaxation.bound(cpu, memory) >= static_cast<double>(wanted);
    });
  }

  void record(std::int64_t value, std::int64_t free_cpu) {
    Pattern sorted = pattern_;
    std::sort(sorted.begin(), sorted.end());
    result_.found.push_back(std::move(sorted));
    switch (goal_) {
      case KnapsackGoal::lightest:  // from now on only what takes less
        reserved_ += free_cpu + 1;
        return;
      case KnapsackGoal::any_above:
        stopped_ = true;
        break;
      case KnapsackGoal::improving:
        limit_ = std::min(limit_, result_.steps + kPatience);
        break;
      case KnapsackGoal::best:
        break;
    }
    best_ = value;
    result_.bound = std::max(result_.bound, value);
  }

  [[nodiscard]] std::int64_t relaxed_bound() const {
    double most = 0;  // all tasks there are: the bound where they take nothing
    for (const KnapsackItem& item : items_) {
      most += static_cast<double>(item.value) * static_cast<double>(item.count) * kSafely;
    }
    for (const Relaxation& relaxation : from_[0]) {
      most = std::min(most, relaxation.bound(static_cast<double>(node_.cpu.raw),
                                             static_cast<double>(node_.memory.raw)));
    }
    return static_cast<std::int64_t>(std::min(most, 0x1p62)) + 1;
  }

  const NodeSize node_;
  const KnapsackGoal goal_;
  const std::int64_t known_;
  std::vector<KnapsackItem> items_;  // by decreasing merit
  std::vector<Relaxations> from_;    // of the items from a place on
  std::vector<bool> excluded_;       // by item
  Pattern pattern_;
  std::int64_t best_;          // only what is above it counts
  std::int64_t slack_ = 0;     // by more than this
  std::int64_t reserved_ = 0;  // CPU that must stay free
  std::uint64_t limit_ = kMostSteps;
  bool stopped_ = false;
  KnapsackResult result_;
};

}  // namespace

KnapsackResult solve_knapsack(std::span<const KnapsackItem> items, const NodeSize& node, std::int64_t known,
                              KnapsackGoal goal) {
  return Knapsack(items, node, known, goal).solve();
}

}  // namespace aliquot
