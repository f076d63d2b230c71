// How long a decision takes: Policy::decide over a made-up view of a busy cluster, from the view to the
// plan; checking the plan and carrying it out are not in it.
#include <benchmark/benchmark.h>

#include "policies/policy.hpp"
#include "tools/sim/decide/view_maker.hpp"

namespace aliquot {
namespace {

void decide(benchmark::State& state, const char* spec, Sizes sizes) {
  const auto policy = *make_policy(spec);
  const ClusterView view = make_view(static_cast<std::uint32_t>(state.range(0)),
                                     static_cast<std::uint32_t>(state.range(1)), sizes, 1);
  for (auto _ : state) benchmark::DoNotOptimize(policy->decide(view));
}

BENCHMARK_CAPTURE(decide, DYNMCB8_paper, "DYNMCB8", Sizes::paper)
    ->Args({128, 100})
    ->Args({1024, 1000})
    ->Args({10'000, 10'000})
    ->Args({100'000, 100'000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(decide, DYNMCB8_continuous, "DYNMCB8", Sizes::continuous)
    ->Args({128, 100})
    ->Args({1024, 1000})
    ->Args({10'000, 10'000})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace aliquot

BENCHMARK_MAIN();
