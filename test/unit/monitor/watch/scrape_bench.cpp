// What a scrape and a reading of the cluster cost at the size that is promised: 10,000 jobs of 200 accounts
// on 500 nodes.
#include <benchmark/benchmark.h>

#include "test/unit/monitor/watch/large_cluster.hpp"

namespace aliquot {
namespace {

void scrape(benchmark::State& state) {
  Metrics metrics(test::large_options());
  test::show_large_cluster(metrics);
  std::size_t bytes = 0;
  for (auto _ : state) bytes = metrics.text().size();
  state.counters["bytes"] = static_cast<double>(bytes);
}

void read_cluster(benchmark::State& state) {
  Metrics metrics(test::large_options());
  const ClusterView view = test::large_cluster();
  Instant now;
  for (auto _ : state) metrics.refresh(view, now = now + seconds(1));
}

BENCHMARK(scrape)->Unit(benchmark::kMillisecond);
BENCHMARK(read_cluster)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace aliquot

BENCHMARK_MAIN();
