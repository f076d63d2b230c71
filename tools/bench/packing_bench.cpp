// How close the exact packing comes to its bound, and how long it takes, on 1,000 instances each that have
// a packing (or none that is proven impossible): `met`, the percentage whose bound is met to the last
// millionth; `few`, the percentage that has no more than 64 shapes, and `few_met_in_2ms`, of these those
// whose bound is met in time; `ratio`, the mean of yield to bound, and the same of MCB8 with the paper's
// search; times of one instance in microseconds of the processor, `in_2ms`, the percentage within two
// milliseconds, and `met_in_2ms`, that of those for which both hold.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>

#include "tools/bench/mcb8_once.hpp"
#include "tools/bench/packing_instances.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kInstances = 1'000;
constexpr double kSoonMicroseconds = 2'000;
constexpr std::size_t kFewShapes = 64;

Yield by_mcb8(const PackingInstance& instance) {
  const YieldNodes& nodes = instance.nodes;
  const std::vector<BinRun> bins = {{nodes.capacity, nodes.memory, nodes.capacity, nodes.memory,
                                     static_cast<std::uint32_t>(nodes.count)}};
  const auto level = highest_level([&](Yield at) {
    if (at.raw == 0) return true;  // some classes would be equal
    std::vector<TaskClass> classes;
    for (const YieldShape& s : instance.shapes) classes.push_back({s.need * at, s.memory, s.count});
    return mcb8(classes, bins).has_value();
  });
  return level.value_or(Yield{0});
}

struct Totals {
  std::size_t met = 0;
  std::size_t met_soon = 0;
  std::size_t few = 0;
  std::size_t few_met_soon = 0;
  std::size_t shapes = 0;
  double ratio = 0;
  double mcb8 = 0;
  std::vector<double> microseconds;

  void add(const PackingInstance& instance) {
    const std::vector<YieldNodes> kinds = {instance.nodes};
    const std::clock_t before = std::clock();
    const BestYield best = best_yield(instance.shapes, kinds, std::nullopt);
    const std::clock_t taken = std::clock() - before;
    if (!best.possible) return;
    microseconds.push_back(static_cast<double>(taken) * 1e6 / CLOCKS_PER_SEC);
    shapes = std::max(shapes, instance.shapes.size());
    const bool meets = best.packing && best.packed == best.bound;
    met += meets ? 1 : 0;
    const bool soon = meets && microseconds.back() <= kSoonMicroseconds;
    met_soon += soon ? 1 : 0;
    const bool is_few = instance.shapes.size() <= kFewShapes;
    few += is_few ? 1 : 0;
    few_met_soon += is_few && soon ? 1 : 0;
    const auto bound = static_cast<double>(best.bound.raw);
    if (best.packing) ratio += static_cast<double>(best.packed.raw) / bound;
    mcb8 += static_cast<double>(by_mcb8(instance).raw) / bound;
  }
};

void exact(benchmark::State& state, ShapesOf shapes) {
  Totals totals;
  while (state.KeepRunning()) {
    totals = {};
    for (std::uint64_t seed = 1; totals.microseconds.size() < kInstances; ++seed) {
      totals.add(make_instance(shapes, static_cast<std::uint32_t>(state.range(0)), seed));
    }
  }
  std::vector<double>& times = totals.microseconds;
  std::sort(times.begin(), times.end());
  const auto within = std::upper_bound(times.begin(), times.end(), kSoonMicroseconds) - times.begin();
  constexpr double kAll = kInstances;
  state.counters["met"] = 100 * static_cast<double>(totals.met) / kAll;
  state.counters["met_in_2ms"] = 100 * static_cast<double>(totals.met_soon) / kAll;
  state.counters["few"] = 100 * static_cast<double>(totals.few) / kAll;
  state.counters["few_met_in_2ms"] = 100 * static_cast<double>(totals.few_met_soon) /
                                     static_cast<double>(std::max<std::size_t>(1, totals.few));
  state.counters["ratio"] = totals.ratio / kAll;
  state.counters["mcb8"] = totals.mcb8 / kAll;
  state.counters["shapes"] = static_cast<double>(totals.shapes);
  state.counters["us_p50"] = times[times.size() / 2];
  state.counters["us_p99"] = times[times.size() * 99 / 100];
  state.counters["us_max"] = times.back();
  state.counters["in_2ms"] = 100 * static_cast<double>(within) / kAll;
}

BENCHMARK_CAPTURE(exact, paper, ShapesOf::paper)->Arg(128)->Iterations(1);
BENCHMARK_CAPTURE(exact, flavours, ShapesOf::flavours)->Arg(128)->Iterations(1);
BENCHMARK_CAPTURE(exact, tenths, ShapesOf::tenths)->Arg(128)->Iterations(1);
BENCHMARK_CAPTURE(exact, drawn, ShapesOf::drawn)->Arg(128)->Iterations(1);
BENCHMARK_CAPTURE(exact, continuous, ShapesOf::continuous)->Arg(128)->Iterations(1);

}  // namespace
}  // namespace aliquot

BENCHMARK_MAIN();
