#include "policies/packing/exact/list_heuristics.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace aliquot {

namespace {

// An order is a heuristic: floating-point numbers do.
double key_of(ListOrder order, double cpu, double memory) {
  const auto [small, large] = std::minmax(cpu, memory);
  switch (order) {
    case ListOrder::largest:
      return large;
    case ListOrder::difference:
      return large - small;
    case ListOrder::ratio:
      return large / (small + 1e-9);
    case ListOrder::sum:
      return large + small;
  }
  return 0;
}

class ListPacker {
 public:
  ListPacker(const PackingProblem& problem, ListOrder order)
      : problem_(problem), left_(problem.demand.begin(), problem.demand.end()), slack_(slack_of(problem)) {
    double all_cpu = 1;
    double all_memory = 1;
    for (std::size_t k = 0; k < problem.kinds.size(); ++k) {
      all_cpu += static_cast<double>(problem.kinds[k].cpu.raw) * static_cast<double>(problem.nodes[k]);
      all_memory +=
          static_cast<double>(problem.kinds[k].memory.raw) * static_cast<double>(problem.nodes[k]);
    }
    for (std::uint32_t s = 0; s < problem.sizes.size(); ++s) {
      if (left_[s] <= 0) continue;
      tasks_ += left_[s];
      const double cpu = static_cast<double>(problem.sizes[s].cpu.raw) / all_cpu;
      const double memory = static_cast<double>(problem.sizes[s].memory.raw) / all_memory;
      lists_[cpu > memory ? kCpu : kMemory].push_back(
          {-key_of(order, cpu, memory), -std::min(cpu, memory), s});
    }
    for (List& list : lists_) std::sort(list.begin(), list.end());
  }

  ListPacking pack() {
    ListPacking packing;
    for (std::uint32_t k = 0; k < problem_.kinds.size(); ++k) {
      for (std::int64_t empty = problem_.nodes[k]; empty > 0 && tasks_ > 0;) {
        Pattern pattern = fill(problem_.kinds[k]);
        if (pattern.empty()) break;
        const std::int64_t times = repetitions(pattern, empty);
        take(pattern, k, times);
        empty -= times;
        packing.filled.push_back({k, times, std::move(pattern)});
        if (slack_.negative()) return packing;
      }
    }
    packing.complete = tasks_ == 0;
    return packing;
  }

 private:
  enum Which : std::uint8_t { kCpu, kMemory };
  using List = std::vector<std::tuple<double, double, std::uint32_t>>;  // what is sorted by, then the shape

  Pattern fill(const NodeSize& node) const {
    NodeSize free = node;
    std::vector<std::int64_t> units(left_.size(), 0);
    std::array<std::size_t, 2> cursor = {0, 0};  // what did not fit once does not fit later
    for (;;) {
      const bool more_memory = static_cast<Int128>(free.memory.raw) * node.cpu.raw >
                               static_cast<Int128>(free.cpu.raw) * node.memory.raw;
      std::optional<std::uint32_t> shape;
      for (const Which which : {more_memory ? kMemory : kCpu, more_memory ? kCpu : kMemory}) {
        if (!shape) shape = next_fit(lists_[which], cursor[which], units, free);
      }
      if (!shape) return pattern_of(units);
      free.cpu -= problem_.sizes[*shape].cpu;
      free.memory -= problem_.sizes[*shape].memory;
      ++units[*shape];
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> next_fit(const List& list, std::size_t& cursor,
                                                      std::span<const std::int64_t> units,
                                                      const NodeSize& free) const {
    for (; cursor < list.size(); ++cursor) {
      const std::uint32_t shape = std::get<std::uint32_t>(list[cursor]);
      const TaskSize& size = problem_.sizes[shape];
      if (size.cpu <= free.cpu && size.memory <= free.memory && left_[shape] > units[shape]) return shape;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::int64_t repetitions(const Pattern& pattern, std::int64_t most) const {
    for (const ShapeUnits& part : pattern) most = std::min(most, left_[part.shape] / part.units);
    return most;
  }

  // What these nodes leave unused is lost to the rest.
  void take(const Pattern& pattern, std::uint32_t kind, std::int64_t times) {
    NodeSize unused = problem_.kinds[kind];
    for (const ShapeUnits& part : pattern) {
      left_[part.shape] -= part.units * times;
      tasks_ -= part.units * times;
      unused.cpu -= problem_.sizes[part.shape].cpu * part.units;
      unused.memory -= problem_.sizes[part.shape].memory * part.units;
    }
    slack_.cpu -= static_cast<Int128>(unused.cpu.raw) * times;
    slack_.memory -= static_cast<Int128>(unused.memory.raw) * times;
  }

  const PackingProblem& problem_;
  std::vector<std::int64_t> left_;
  std::int64_t tasks_ = 0;
  Slack slack_;
  std::array<List, 2> lists_;
};

}  // namespace

ListPacking pack_by_list(const PackingProblem& problem, ListOrder order) {
  return ListPacker(problem, order).pack();
}

}  // namespace aliquot
