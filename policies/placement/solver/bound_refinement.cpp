#include "policies/placement/solver/bound_refinement.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "policies/placement/solver/class_prices.hpp"
#include "policies/placement/solver/knapsack.hpp"

namespace aliquot::ip {

namespace {

constexpr std::size_t kMostSets = 8;
constexpr Value kMostKnapsackValue = Value{1} << 62;  // of all items together

// The problem with the constraint on the CPU alone. Values are fixed-point.
struct CpuProblem {
  std::vector<Value> values;     // by item
  Value constant = 0;            // to be added
  Value bound = 0;               // of its linear program
  Value dual = 0;                // of a granule there, rounded down
  std::uint32_t break_item = 0;  // the first by efficiency that does not fit whole, or the last
};

// What the reduced values leave to decide.
struct Core {
  std::vector<std::uint32_t> items;
  std::vector<std::uint32_t> fixed;  // items of every better placement
  Value fixed_value = 0;
  std::int64_t capacity = 0;  // that the fixed items leave
};

class BoundRefinement {
 public:
  BoundRefinement(Placer& placer, const FreeCapacity& capacity, const Relaxation& relaxation)
      : placer_(placer), capacity_(capacity), relaxation_(relaxation) {}

  RefinedBound run(Value incumbent, std::uint64_t most_cells) {
    return solve_knapsack(with_best_prices(), incumbent << kFractionBits, most_cells);
  }

 private:
  [[nodiscard]] std::int64_t size(std::size_t item) const { return relaxation_.items[item].demand[kCpu]; }
  [[nodiscard]] std::int64_t all_cpu() const { return relaxation_.capacity[kCpu]; }

  CpuProblem with_best_prices() {
    const ClassPrices prices(placer_.instance(), capacity_, relaxation_);
    CpuProblem best = cpu_problem(prices.without_prices());
    if (relaxation_.items.empty()) return best;
    const Item& break_item = relaxation_.items[best.break_item];
    const std::int64_t weight = placer_.instance().requests[break_item.request].weight;
    // The bound is nearly convex in the base: it is followed until it rises.
    for (const std::uint32_t base : prices.bases()) {
      placer_.add_work(prices.work());
      CpuProblem next = cpu_problem(prices.with_prices(base, weight));
      if (next.bound >= best.bound) break;
      best = std::move(next);
    }
    return best;
  }

  // Prices the other constraints, and solves the linear program by efficiency (Dantzig).
  CpuProblem cpu_problem(ItemValues values) {
    CpuProblem problem{std::move(values.of_item), values.constant, 0, 0, 0};
    std::vector<std::pair<double, std::uint32_t>> order;  // by falling efficiency
    for (std::size_t a = kCpu + 1; a < kAggregates; ++a)
      problem.constant += relaxation_.dual[a] * relaxation_.capacity[a];
    for (std::uint32_t i = 0; i < problem.values.size(); ++i) {
      for (std::size_t a = kCpu + 1; a < kAggregates; ++a)
        problem.values[i] -= relaxation_.dual[a] * relaxation_.items[i].demand[a];
      if (problem.values[i] <= 0) continue;
      const double efficiency = size(i) == 0
                                    ? std::numeric_limits<double>::infinity()
                                    : static_cast<double>(problem.values[i]) / static_cast<double>(size(i));
      order.push_back({-efficiency, i});
    }
    placer_.add_work(10 * order.size());
    std::sort(order.begin(), order.end());
    problem.bound = problem.constant;
    std::int64_t left = all_cpu();
    for (const auto& [negative_efficiency, i] : order) {
      problem.break_item = i;
      if (size(i) > left) {
        problem.dual = static_cast<Value>(-negative_efficiency);
        problem.bound += static_cast<Value>(-negative_efficiency * static_cast<double>(left)) + 1;
        break;
      }
      left -= size(i);
      problem.bound += problem.values[i];
    }
    return problem;
  }

  [[nodiscard]] Value reduced_value(const CpuProblem& problem, std::size_t item) const {
    return problem.values[item] - problem.dual * size(item);
  }

  // The bound that the multiplier proves as a whole number.
  [[nodiscard]] Value lagrangian_bound(const CpuProblem& problem) const {
    Value bound = problem.constant + problem.dual * all_cpu();
    for (std::size_t i = 0; i < problem.values.size(); ++i)
      bound += std::max<Value>(reduced_value(problem, i), 0);
    return bound;
  }

  // An item whose reduced value is above the gap (below its negative) is in every (no) better placement.
  [[nodiscard]] Core core_of(const CpuProblem& problem, Value gap) const {
    Core core;
    core.capacity = all_cpu();
    std::vector<std::int64_t> of_shape(relaxation_.shapes, 0);  // sizes so far
    for (std::uint32_t i = 0; i < problem.values.size(); ++i) {
      std::int64_t& so_far = of_shape[relaxation_.items[i].shape];
      so_far += size(i);
      const Value reduced = reduced_value(problem, i);
      if (problem.values[i] <= 0 || reduced < -gap || so_far > all_cpu()) continue;
      if (reduced > gap) {
        core.fixed.push_back(i);
        core.fixed_value += problem.values[i];
        core.capacity -= size(i);
      } else {
        core.items.push_back(i);
      }
    }
    return core;
  }

  // How much CPU is one unit of the knapsack's capacity.
  [[nodiscard]] std::int64_t knapsack_unit(const Core& core, std::uint64_t most_cells) const {
    std::int64_t unit = 0;
    for (const std::uint32_t i : core.items) unit = std::gcd(unit, size(i));
    unit = std::max<std::int64_t>(unit, 1);
    const std::uint64_t cells = static_cast<std::uint64_t>(core.capacity / unit + 1) * core.items.size();
    if (cells <= most_cells) return unit;
    return unit * static_cast<std::int64_t>(cells / std::max<std::uint64_t>(most_cells, 1) + 1);
  }

  RefinedBound solve_knapsack(const CpuProblem& problem, Value incumbent, std::uint64_t most_cells) {
    const Value proven = lagrangian_bound(problem);
    if (proven <= incumbent) return {whole(incumbent), {}};
    const Core core = core_of(problem, proven - incumbent);
    if (core.capacity < 0) return {whole(incumbent), {}};
    const std::int64_t unit = knapsack_unit(core, most_cells);
    Value all_values = 0;
    for (const std::uint32_t i : core.items) all_values += problem.values[i];
    int shift = 0;
    while (all_values >> shift > kMostKnapsackValue) ++shift;
    std::vector<KnapsackItem> items;
    for (const std::uint32_t i : core.items) {
      items.push_back({static_cast<std::size_t>(size(i) / unit),
                       static_cast<std::int64_t>(problem.values[i] >> shift) + 1});
    }
    const Knapsack knapsack(std::move(items), static_cast<std::size_t>(core.capacity / unit));
    placer_.add_work(knapsack.capacity() * core.items.size() / 4);
    const Value bound = problem.constant + core.fixed_value +
                        (static_cast<Value>(knapsack.value(knapsack.capacity())) << shift);
    return {whole(std::max(std::min(bound, proven), incumbent)), sets_of(knapsack, core)};
  }

  // The best sets of the knapsack, each of another size.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> sets_of(const Knapsack& knapsack,
                                                                const Core& core) const {
    std::vector<std::vector<std::uint32_t>> sets;
    for (std::size_t c = knapsack.capacity() + 1; c-- > 0 && sets.size() < kMostSets;) {
      if (c < knapsack.capacity() && knapsack.value(c) == knapsack.value(c + 1)) continue;
      std::vector<std::uint32_t>& set = sets.emplace_back();
      for (const std::uint32_t i : core.fixed) set.push_back(relaxation_.items[i].request);
      for (const std::uint32_t i : knapsack.chosen(c))
        set.push_back(relaxation_.items[core.items[i]].request);
    }
    return sets;
  }

  Placer& placer_;
  const FreeCapacity& capacity_;
  const Relaxation& relaxation_;
};

}  // namespace

RefinedBound refine_bound(Placer& placer, const FreeCapacity& capacity, const Relaxation& relaxation,
                          Value incumbent, std::uint64_t most_cells) {
  return BoundRefinement(placer, capacity, relaxation).run(incumbent, most_cells);
}

}  // namespace aliquot::ip
