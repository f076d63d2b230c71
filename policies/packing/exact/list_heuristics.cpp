#include "policies/packing/exact/list_heuristics.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "policies/packing/mcb8.hpp"

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

// All tasks in the two lists of MCB8, each in this order; returns how many there are.
std::int64_t fill_lists(const PackingProblem& problem, ListOrder order, Mcb8& mcb8) {
  double all_cpu = 1;
  double all_memory = 1;
  for (std::size_t k = 0; k < problem.kinds.size(); ++k) {
    all_cpu += static_cast<double>(problem.kinds[k].cpu.raw) * static_cast<double>(problem.nodes[k]);
    all_memory += static_cast<double>(problem.kinds[k].memory.raw) * static_cast<double>(problem.nodes[k]);
  }
  using Rank = std::tuple<double, double, std::uint32_t>;  // what is sorted by, then the shape
  std::vector<Rank> more_cpu;
  std::vector<Rank> more_memory;
  std::int64_t tasks = 0;
  for (std::uint32_t s = 0; s < problem.sizes.size(); ++s) {
    if (problem.demand[s] <= 0) continue;
    tasks += problem.demand[s];
    const double cpu = static_cast<double>(problem.sizes[s].cpu.raw) / all_cpu;
    const double memory = static_cast<double>(problem.sizes[s].memory.raw) / all_memory;
    (cpu > memory ? more_cpu : more_memory)
        .push_back({-key_of(order, cpu, memory), -std::min(cpu, memory), s});
  }
  const auto fill = [&](std::vector<Rank>& ranks, ClassList& list) {
    std::sort(ranks.begin(), ranks.end());
    for (const auto& [key, smaller, s] : ranks)
      list.push_back({problem.sizes[s].cpu, problem.sizes[s].memory, problem.demand[s], s});
  };
  fill(more_cpu, mcb8.cpu_list());
  fill(more_memory, mcb8.memory_list());
  return tasks;
}

// The fills of the bins, kind after kind, as patterns.
PatternPacking patterns_of(const PackingProblem& problem, const Packing& packed) {
  PatternPacking patterns;
  std::uint32_t kind = 0;
  std::int64_t left = problem.nodes.empty() ? 0 : problem.nodes.front();  // of this kind
  for (const FillRun& run : packed.runs) {
    while (left <= 0) left = problem.nodes[++kind];
    left -= run.bins;
    if (run.first == run.last) continue;
    std::vector<std::int64_t> units(problem.sizes.size(), 0);
    for (std::uint32_t f = run.first; f < run.last; ++f)
      units[packed.fills[f].task_class] += packed.fills[f].units;
    patterns.push_back({kind, run.bins, pattern_of(units)});
  }
  return patterns;
}

}  // namespace

ListPacking pack_by_list(const PackingProblem& problem, ListOrder order) {
  Mcb8 mcb8;
  const std::int64_t tasks = fill_lists(problem, order, mcb8);
  std::vector<BinRun> bins;
  for (std::size_t k = 0; k < problem.kinds.size(); ++k) {
    const NodeSize& node = problem.kinds[k];
    const auto count = static_cast<std::uint32_t>(std::max<std::int64_t>(problem.nodes[k], 0));
    bins.push_back({node.cpu, node.memory, node.cpu, node.memory, count});
  }
  const Slack slack = slack_of(problem);
  Packing packed;
  const bool complete = mcb8.pack(bins, {slack.cpu, slack.memory}, tasks, packed);
  return {patterns_of(problem, packed), complete};
}

}  // namespace aliquot
