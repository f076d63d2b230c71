#include "policies/placement/solver/bound_refinement.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "policies/placement/solver/class_prices.hpp"
#include "policies/placement/solver/knapsack.hpp"

namespace aliquot::ip {

namespace {

constexpr std::size_t kMostSets = 8;

// The problem with one constraint left. Values are fixed-point.
struct SingleConstraint {
  std::vector<Value> values;     // by item
  Value constant = 0;            // to be added
  Value bound = 0;               // of its linear program
  double dual = 0;               // of the constraint there
  std::uint32_t break_item = 0;  // the first by efficiency that does not fit whole, or the last
};

// What the reduced values leave to decide.
struct Core {
  std::vector<std::uint32_t> items;
  std::vector<std::uint32_t> fixed;  // items of every better placement
  Value fixed_value = 0;
  std::int64_t capacity = 0;  // that the fixed items leave
};

int bits_of(Value value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
}

class BoundRefinement {
 public:
  BoundRefinement(Placer& placer, const FreeCapacity& capacity, const Relaxation& relaxation)
      : placer_(placer),
        relaxation_(relaxation),
        prices_(placer.instance(), capacity, relaxation),
        constraint_(dearest_constraint()),
        other_costs_(relaxation.items.size(), 0) {
    price_other_constraints();
  }

  RefinedBound run(Value incumbent, std::uint64_t most_cells) {
    SingleConstraint best = single_constraint(prices_.without_prices());
    if (!prices_.bases().empty() && !relaxation_.items.empty()) {
      const Item& break_item = relaxation_.items[best.break_item];
      const std::int64_t weight = placer_.instance().requests[break_item.request].weight;
      // The bound is nearly convex in the base: it is followed until it rises.
      for (const std::uint32_t base : prices_.bases()) {
        placer_.add_work(prices_.work());
        SingleConstraint next = single_constraint(prices_.with_prices(base, weight));
        if (next.bound >= best.bound) break;
        best = std::move(next);
      }
    }
    return solve_knapsack(best, incumbent << kFractionBits, most_cells);
  }

 private:
  [[nodiscard]] std::size_t dearest_constraint() const {
    std::size_t dearest = 0;
    Value most = 0;
    for (std::size_t c = 0; c < relaxation_.constraints; ++c) {
      const std::size_t aggregate = relaxation_.aggregate[c];
      const Value dual = relaxation_.dual[c] * relaxation_.capacity[c];
      if ((c > 0 && (aggregate == kJobs || aggregate == kDeviceJobs)) || dual <= most) continue;
      most = dual;
      dearest = c;
    }
    return dearest;
  }

  void price_other_constraints() {
    for (std::size_t c = 0; c < relaxation_.constraints; ++c) {
      // The knapsack implies how many requests fit at all.
      if (c == constraint_ || relaxation_.aggregate[c] == kJobs || relaxation_.dual[c] == 0) continue;
      other_capacity_ += relaxation_.dual[c] * relaxation_.capacity[c];
      for (std::size_t i = 0; i < other_costs_.size(); ++i)
        other_costs_[i] += relaxation_.dual[c] * relaxation_.items[i].demand[c];
    }
  }

  [[nodiscard]] std::int64_t size(std::size_t item) const {
    return relaxation_.items[item].demand[constraint_];
  }

  // Solves the linear program by efficiency (Dantzig).
  SingleConstraint single_constraint(const ItemValues& values) {
    SingleConstraint problem;
    problem.constant = values.constant + other_capacity_;
    problem.values = values.of_item;
    std::vector<std::pair<double, std::uint32_t>> order;  // by falling efficiency
    for (std::uint32_t i = 0; i < problem.values.size(); ++i) {
      problem.values[i] -= other_costs_[i];
      if (problem.values[i] <= 0) continue;
      const double efficiency = size(i) == 0
                                    ? std::numeric_limits<double>::infinity()
                                    : static_cast<double>(problem.values[i]) / static_cast<double>(size(i));
      order.push_back({-efficiency, i});
    }
    placer_.add_work(10 * order.size());
    std::sort(order.begin(), order.end());
    problem.bound = problem.constant;
    std::int64_t left = relaxation_.capacity[constraint_];
    for (const auto& [negative_efficiency, i] : order) {
      problem.break_item = i;
      if (size(i) > left) {
        problem.dual = -negative_efficiency;
        problem.bound += static_cast<Value>(problem.dual * static_cast<double>(left)) + 1;
        break;
      }
      left -= size(i);
      problem.bound += problem.values[i];
    }
    return problem;
  }

  // An item whose reduced value is above the gap (below its negative) is in every (no) better placement.
  [[nodiscard]] Core core_of(const SingleConstraint& problem, Value gap) const {
    Core core;
    core.capacity = relaxation_.capacity[constraint_];
    const auto dual = static_cast<Value>(problem.dual);
    std::vector<std::int64_t> of_shape(relaxation_.shapes, 0);  // sizes so far
    for (std::uint32_t i = 0; i < problem.values.size(); ++i) {
      const Value reduced_value = problem.values[i] - dual * size(i);
      std::int64_t& so_far = of_shape[relaxation_.items[i].shape];
      so_far += size(i);
      if (problem.values[i] <= 0 || reduced_value < -gap || so_far > relaxation_.capacity[constraint_])
        continue;
      if (reduced_value > gap) {
        core.fixed.push_back(i);
        core.fixed_value += problem.values[i];
        core.capacity -= size(i);
      } else {
        core.items.push_back(i);
      }
    }
    return core;
  }

  // The bound that the multiplier proves as a whole number.
  [[nodiscard]] Value lagrangian_bound(const SingleConstraint& problem) const {
    const auto dual = static_cast<Value>(problem.dual);
    Value bound = problem.constant + dual * relaxation_.capacity[constraint_];
    for (std::size_t i = 0; i < problem.values.size(); ++i)
      bound += std::max<Value>(problem.values[i] - dual * size(i), 0);
    return bound;
  }

  // How much of the constraint is one unit of the knapsack's capacity.
  [[nodiscard]] std::int64_t knapsack_unit(const Core& core, std::uint64_t most_cells) const {
    std::int64_t unit = 0;
    for (const std::uint32_t i : core.items) unit = std::gcd(unit, size(i));
    unit = std::max<std::int64_t>(unit, 1);
    const std::uint64_t cells = static_cast<std::uint64_t>(core.capacity / unit + 1) * core.items.size();
    if (cells <= most_cells) return unit;
    return unit * static_cast<std::int64_t>(cells / std::max<std::uint64_t>(most_cells, 1) + 1);
  }

  RefinedBound solve_knapsack(const SingleConstraint& problem, Value incumbent, std::uint64_t most_cells) {
    const Value proven = lagrangian_bound(problem);
    if (proven <= incumbent) return {whole(incumbent), {}};
    const Core core = core_of(problem, proven - incumbent);
    if (core.capacity < 0) return {whole(incumbent), {}};
    const std::int64_t unit = knapsack_unit(core, most_cells);
    Value all_values = 0;
    for (const std::uint32_t i : core.items) all_values += problem.values[i];
    const int shift = std::max(0, bits_of(all_values) - 52);  // the knapsack counts below 2^53
    std::vector<KnapsackItem> items;
    for (const std::uint32_t i : core.items) {
      items.push_back({static_cast<std::size_t>(size(i) / unit),
                       static_cast<std::int64_t>((problem.values[i] >> shift) + 1)});
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
  const Relaxation& relaxation_;
  ClassPrices prices_;
  std::size_t constraint_;
  std::vector<Value> other_costs_;  // by item: the dual values of its demand on the other constraints
  Value other_capacity_ = 0;        // the dual value of their capacity
};

}  // namespace

RefinedBound refine_bound(Placer& placer, const FreeCapacity& capacity, const Relaxation& relaxation,
                          Value incumbent, std::uint64_t most_cells) {
  return BoundRefinement(placer, capacity, relaxation).run(incumbent, most_cells);
}

}  // namespace aliquot::ip
