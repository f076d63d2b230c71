// How long a decision takes: Policy::decide over a made-up view of a busy cluster, from the view to the
// plan; checking the plan and carrying it out are not in it. Beside it the reference implementation, which
// packs task by task and must come to the same plan: `reference_ms` is its time, `faster` how many times as
// long it takes (CPU time, both in this run).
//
// ALIQUOT decides by what stands. Over the view that DYNMCB8 packs anew (`upheaval`) it pauses thousands of
// jobs at once, which no cluster sees that it has ruled before; `steady` is what it mostly decides.
#include <benchmark/benchmark.h>

#include <ctime>
#include <map>
#include <tuple>

#include "policies/dfrs/fair_yields.hpp"
#include "policies/policy.hpp"
#include "tools/bench/reference_repack.hpp"
#include "tools/bench/steady_view.hpp"
#include "tools/sim/decide/view_maker.hpp"

namespace aliquot {
namespace {

Plan reference_decide(const ClusterView& view) {
  Draft draft(view, Draft::Start::only_fixed);
  for (const auto& [job, placement] : reference::reference_repack(view, min_yield_objective())) {
    draft.place(draft.index_of(job), placement);
  }
  return draft.plan(fair_yields(draft));
}

void decide(benchmark::State& state, const char* name, Sizes sizes, bool beside_reference) {
  const auto policy = *make_policy(name);
  ClusterView view = make_view(static_cast<std::uint32_t>(state.range(0)),
                               static_cast<std::uint32_t>(state.range(1)), sizes, 1);
  view.index.rebuild(view);  // as the core hands it to a policy
  while (state.KeepRunning()) benchmark::DoNotOptimize(policy->decide(view));
  if (!beside_reference) return;
  // Long, and the same each time: once for all calls with this view.
  static std::map<std::tuple<std::int64_t, std::int64_t, Sizes>, double> known;
  double& seconds = known[{state.range(0), state.range(1), sizes}];
  if (seconds == 0) {
    const std::clock_t before = std::clock();
    const Plan plan = reference_decide(view);
    seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    if (plan.changes != policy->decide(view).changes)
      state.SkipWithError("the reference implementation's plan differs");
  }
  state.counters["reference_ms"] = seconds * 1'000;
  state.counters["faster"] = benchmark::Counter(seconds, benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(decide, DYNMCB8_paper, "DYNMCB8", Sizes::paper, true)
    ->Args({128, 100})
    ->Args({1024, 1000})
    ->Args({10'000, 10'000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(decide, DYNMCB8_paper_alone, "DYNMCB8", Sizes::paper, false)
    ->Args({100'000, 100'000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(decide, DYNMCB8_continuous, "DYNMCB8", Sizes::continuous, true)
    ->Args({128, 100})
    ->Args({1024, 1000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(decide, DYNMCB8_continuous_alone, "DYNMCB8", Sizes::continuous, false)
    ->Args({10'000, 10'000})
    ->Unit(benchmark::kMicrosecond);
// A completion and an arrival; the local search is due in every tenth such turn, of a second each.
void decide_steady(benchmark::State& state, const char* name, Sizes sizes, int turns) {
  const auto policy = *make_policy(name);
  const ClusterView view =
      make_steady_view(static_cast<std::uint32_t>(state.range(0)),
                       static_cast<std::uint32_t>(state.range(1)), sizes, 1, *policy, turns);
  while (state.KeepRunning()) benchmark::DoNotOptimize(policy->decide(view));
}

BENCHMARK_CAPTURE(decide, ALIQUOT_upheaval_paper, "ALIQUOT", Sizes::paper, false)
    ->Args({128, 100})
    ->Args({1024, 1000})
    ->Args({10'000, 10'000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(decide, ALIQUOT_upheaval_continuous, "ALIQUOT", Sizes::continuous, false)
    ->Args({128, 100})
    ->Args({1024, 1000})
    ->Args({10'000, 10'000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(decide_steady, ALIQUOT_steady_paper, "ALIQUOT", Sizes::paper, 15)
    ->Args({128, 100})
    ->Args({1024, 1000})
    ->Args({10'000, 10'000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(decide_steady, ALIQUOT_steady_paper_search, "ALIQUOT", Sizes::paper, 10)
    ->Args({128, 100})
    ->Args({1024, 1000})
    ->Args({10'000, 10'000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(decide_steady, ALIQUOT_steady_continuous, "ALIQUOT", Sizes::continuous, 15)
    ->Args({128, 100})
    ->Args({1024, 1000})
    ->Args({10'000, 10'000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(decide_steady, ALIQUOT_steady_continuous_search, "ALIQUOT", Sizes::continuous, 10)
    ->Args({128, 100})
    ->Args({1024, 1000})
    ->Args({10'000, 10'000})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace aliquot

BENCHMARK_MAIN();
