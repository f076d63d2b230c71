#include "policies/placement/sharpen.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "policies/placement/class_costs.hpp"
#include "policies/placement/knapsack.hpp"

namespace aliquot::ip {

namespace {

constexpr std::size_t kMostSets = 8;

// The problem with one total left: what each item is worth and takes, and what is to be added.
struct Single {
  std::vector<Value> values;  // by item, as the next with kPlaces
  Value constant = 0;
  Value bound = 0;         // of its linear program
  double critical = 0;     // price of the total there
  std::uint32_t last = 0;  // item that it is not enough for, or the last one
};

int bits_of(Value value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
}

class Sharpener {
 public:
  Sharpener(Placer& placer, const Rooms& rooms, const Relaxation& relaxation)
      : placer_(placer), relaxation_(relaxation), costs_(placer.instance(), rooms, relaxation) {
    choose_total();
    price_others();
  }

  Sharper run(Value incumbent, std::uint64_t most_cells) {
    Single best = single(costs_.alone());
    if (!costs_.bases().empty() && !relaxation_.items.empty()) {
      const Item& last = relaxation_.items[best.last];
      const std::int64_t weight = placer_.instance().requests[last.request].weight;
      // The bound is about convex along the bases.
      for (const std::uint32_t base : costs_.bases()) {
        placer_.add_work(costs_.work());
        Single next = single(costs_.with_prices(base, weight));
        if (next.bound >= best.bound) break;
        best = std::move(next);
      }
    }
    return knapsack(best, incumbent << kPlaces, most_cells);
  }

 private:
  struct Core {
    std::vector<std::uint32_t> items;
    std::vector<std::uint32_t> taken;  // without asking
    Value value = 0;                   // of these
    std::int64_t left = 0;             // beside these
  };

  // How many fit at all is known when the total is reckoned exactly: it gets no price.
  [[nodiscard]] bool is_count(std::size_t t) const {
    return t > 0 && (relaxation_.which[t] == kAll || relaxation_.which[t] == kHolders);
  }

  void choose_total() {
    Value most = 0;
    for (std::size_t t = 0; t < relaxation_.totals; ++t) {
      const Value price = relaxation_.price[t] * relaxation_.free[t];
      if (is_count(t) || price <= most) continue;
      most = price;
      total_ = t;
    }
  }

  void price_others() {
    others_.resize(relaxation_.items.size(), 0);
    for (std::size_t t = 0; t < relaxation_.totals; ++t) {
      if (t == total_ || relaxation_.which[t] == kAll || relaxation_.price[t] == 0) continue;
      free_of_others_ += relaxation_.price[t] * relaxation_.free[t];
      for (std::size_t i = 0; i < others_.size(); ++i)
        others_[i] += relaxation_.price[t] * relaxation_.items[i].takes[t];
    }
  }

  [[nodiscard]] std::int64_t size(std::size_t item) const { return relaxation_.items[item].takes[total_]; }

  Single single(const Worths& worths) {
    Single problem;
    problem.constant = worths.constant + free_of_others_;
    problem.values = worths.of_item;
    std::vector<std::pair<double, std::uint32_t>> order;  // the dearest for its size first
    for (std::uint32_t i = 0; i < problem.values.size(); ++i) {
      problem.values[i] -= others_[i];
      if (problem.values[i] <= 0) continue;
      // Who takes nothing of it goes in first of all.
      const double density = size(i) == 0
                                 ? std::numeric_limits<double>::infinity()
                                 : static_cast<double>(problem.values[i]) / static_cast<double>(size(i));
      order.push_back({-density, i});
    }
    placer_.add_work(10 * order.size());
    std::sort(order.begin(), order.end());
    problem.bound = problem.constant;
    std::int64_t left = relaxation_.free[total_];
    for (const auto& [density, i] : order) {
      problem.last = i;
      if (size(i) > left) {
        problem.critical = -density;
        problem.bound += static_cast<Value>(-density * static_cast<double>(left)) + 1;
        break;
      }
      left -= size(i);
      problem.bound += problem.values[i];
    }
    return problem;
  }

  // Who is in or out of every placement better than the incumbent is decided by the price alone.
  [[nodiscard]] Core core_of(const Single& problem, Value gap) const {
    Core core;
    core.left = relaxation_.free[total_];
    const auto price = static_cast<Value>(problem.critical);
    std::vector<std::int64_t> of_shape(relaxation_.shapes, 0);  // sizes so far
    for (std::uint32_t i = 0; i < problem.values.size(); ++i) {
      const Value reduced = problem.values[i] - price * size(i);
      std::int64_t& before = of_shape[relaxation_.items[i].shape];
      before += size(i);
      if (problem.values[i] <= 0 || reduced < -gap || before > relaxation_.free[total_]) continue;
      if (reduced > gap) {
        core.taken.push_back(i);
        core.value += problem.values[i];
        core.left -= size(i);
      } else {
        core.items.push_back(i);
      }
    }
    return core;
  }

  Sharper knapsack(const Single& problem, Value incumbent, std::uint64_t most_cells) {
    // What the price as a whole number proves, instead of the one in the linear program.
    const auto price = static_cast<Value>(problem.critical);
    Value proven = problem.constant + price * relaxation_.free[total_];
    for (std::size_t i = 0; i < problem.values.size(); ++i)
      proven += std::max<Value>(problem.values[i] - price * size(i), 0);
    if (proven <= incumbent) return {whole(incumbent), {}};
    const Core core = core_of(problem, proven - incumbent);
    if (core.left < 0) return {whole(incumbent), {}};
    std::int64_t step = 0;
    Value most = 0;
    for (const std::uint32_t i : core.items) {
      step = std::gcd(step, size(i));
      most += problem.values[i];
    }
    step = std::max<std::int64_t>(step, 1);
    const std::uint64_t cells = static_cast<std::uint64_t>(core.left / step + 1) * core.items.size();
    if (cells > most_cells)
      step *= static_cast<std::int64_t>(cells / std::max<std::uint64_t>(most_cells, 1) + 1);
    const int shift = std::max(0, bits_of(most) - 52);
    std::vector<KnapsackItem> items;
    for (const std::uint32_t i : core.items) {
      items.push_back({static_cast<std::size_t>(size(i) / step),
                       static_cast<std::int64_t>((problem.values[i] >> shift) + 1)});
    }
    const Knapsack table(std::move(items), static_cast<std::size_t>(core.left / step));
    placer_.add_work(table.capacity() * core.items.size() / 4);
    const Value fixed = problem.constant + core.value;
    const Value bound = fixed + (static_cast<Value>(table.value(table.capacity())) << shift);
    return {whole(std::max(std::min(bound, proven), incumbent)), sets_of(table, core)};
  }

  [[nodiscard]] std::vector<std::vector<std::uint32_t>> sets_of(const Knapsack& table,
                                                                const Core& core) const {
    std::vector<std::vector<std::uint32_t>> sets;
    for (std::size_t c = table.capacity() + 1; c-- > 0 && sets.size() < kMostSets;) {
      if (c < table.capacity() && table.value(c) == table.value(c + 1)) continue;
      std::vector<std::uint32_t>& set = sets.emplace_back();
      for (const std::uint32_t i : core.taken) set.push_back(relaxation_.items[i].request);
      for (const std::uint32_t i : table.chosen(c)) set.push_back(relaxation_.items[core.items[i]].request);
    }
    return sets;
  }

  Placer& placer_;
  const Relaxation& relaxation_;
  ClassCosts costs_;
  std::size_t total_ = 0;
  std::vector<Value> others_;  // by item: the price of what it takes of the other totals
  Value free_of_others_ = 0;
};

}  // namespace

Sharper sharpen(Placer& placer, const Rooms& rooms, const Relaxation& relaxation, Value incumbent,
                std::uint64_t most_cells) {
  return Sharpener(placer, rooms, relaxation).run(incumbent, most_cells);
}

}  // namespace aliquot::ip
