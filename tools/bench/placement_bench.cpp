// How long a collective placement takes, and how good it is: windows of the doubled ESP benchmark on a
// machine that is 0 to 90 % busy (IPSCHED, sec. 5). Counters, CPU time: `median_us` and `p99_us` of a
// window; `gap_%`, `gap_p95_%` and `gap_worst_%` the mean, the 95th percentile and the largest of the
// proven gaps, `proven_%` how many windows were solved to the proven optimum of the relaxation. Beside
// ours: CBC on the set-selection program, and on the papers' own formulation, which is feasible on tiny
// systems only.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <vector>

#include "policies/placement/solver/assignment.hpp"
#include "policies/placement/solver/fast.hpp"
#include "tools/bench/esp_window.hpp"
#ifdef ALIQUOT_WITH_CBC
#include "tools/sim/solver/cbc/formulations.hpp"
#include "tools/sim/solver/cbc/solvers.hpp"
#endif

namespace aliquot {
namespace {

std::vector<ip::Instance> windows(const benchmark::State& state, bool by_cores, bool uneven, int count) {
  std::vector<ip::Instance> made;
  for (int k = 0; k < count; ++k) {
    bench::EspShape shape;
    shape.nodes = static_cast<std::uint32_t>(state.range(0));
    shape.jobs = static_cast<std::uint32_t>(state.range(1));
    shape.busy = 10 * (k % 10);
    shape.by_cores = by_cores;
    shape.uneven = uneven;
    made.push_back(bench::esp_window(static_cast<std::uint64_t>(k), shape));
  }
  return made;
}

// Of this thread's CPU time: what else runs on the machine is not counted.
double microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

class Figures {
 public:
  void add(double took, const ip::Answer& answer) {
    microseconds_.push_back(took);
    gaps_.push_back(100 * answer.gap());
    finished_ += answer.finished ? 1 : 0;
  }
  void report(benchmark::State& state) {
    if (microseconds_.empty()) return;
    std::sort(microseconds_.begin(), microseconds_.end());
    std::sort(gaps_.begin(), gaps_.end());
    const auto count = static_cast<double>(microseconds_.size());
    const auto at = [](const std::vector<double>& sorted, std::size_t percent) {
      return sorted[(sorted.size() - 1) * percent / 100];
    };
    state.counters["median_us"] = at(microseconds_, 50);
    state.counters["p99_us"] = at(microseconds_, 99);
    state.counters["gap_%"] = std::accumulate(gaps_.begin(), gaps_.end(), 0.0) / count;
    state.counters["gap_p95_%"] = at(gaps_, 95);
    state.counters["gap_worst_%"] = gaps_.back();
    state.counters["proven_%"] = 100 * finished_ / count;
  }

 private:
  std::vector<double> microseconds_;
  std::vector<double> gaps_;  // in percent
  double finished_ = 0;
};

template <class Solve>
void measure(benchmark::State& state, const std::vector<ip::Instance>& problems, Solve solve) {
  Figures figures;
  std::size_t next = 0;
  for (auto _ : state) {
    const ip::Instance& problem = problems[next++ % problems.size()];
    const double before = microseconds();
    const ip::Answer answer = solve(problem);
    figures.add(microseconds() - before, answer);
  }
  figures.report(state);
}

void ours(benchmark::State& state, bool by_cores, bool uneven) {
  measure(state, windows(state, by_cores, uneven, 100),
          [](const ip::Instance& problem) { return ip::solve_fast(problem); });
}
BENCHMARK_CAPTURE(ours, p, false, false)
    ->Args({1024, 200})
    ->Args({10'000, 1000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(ours, pr, true, false)
    ->Args({1024, 200})
    ->Args({10'000, 1000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(ours, p_uneven, false, true)
    ->Args({1024, 200})
    ->Args({10'000, 1000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(ours, pr_uneven, true, true)
    ->Args({1024, 200})
    ->Args({10'000, 1000})
    ->Unit(benchmark::kMicrosecond);

// The assignment of nodes to the classes' allocations.
void assign_nodes(benchmark::State& state) {
  const ip::Instance problem = windows(state, false, false, 1).front();
  const ip::Answer answer = ip::solve_fast(problem);
  const ip::NodeResources nodes(static_cast<std::size_t>(state.range(0)), problem.classes.front().free);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(ip::assign(problem, answer, nodes));
}
BENCHMARK(assign_nodes)->Args({1024, 200})->Args({10'000, 1000})->Unit(benchmark::kMicrosecond);

#ifdef ALIQUOT_WITH_CBC
void cbc_selection(benchmark::State& state, bool by_cores, bool uneven) {
  measure(state, windows(state, by_cores, uneven, 10), [&](const ip::Instance& problem) {
    auto answer = ip::solve_selection(problem, 100);
    if (!answer) state.SkipWithError(answer.error().message.c_str());
    return answer ? *answer : ip::Answer{};
  });
}
BENCHMARK_CAPTURE(cbc_selection, p, false, false)
    ->Args({1024, 200})
    ->Iterations(10)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(cbc_selection, pr, true, false)
    ->Args({1024, 200})
    ->Iterations(10)
    ->Unit(benchmark::kMicrosecond);

// The papers' own formulation, at the sizes it can be solved at.
void cbc_naive(benchmark::State& state) {
  measure(state, windows(state, false, false, 1), [&](const ip::Instance& problem) {
    ip::Answer answer;
    const auto program = ip::naive_program(problem);
    const auto solution = program ? ip::solve(*program, 200) : tl::unexpected(program.error());
    if (!solution) {
      state.SkipWithError(solution.error().message.c_str());
      return answer;
    }
    answer.incumbent = static_cast<ip::Value>(solution->value);
    answer.bound = static_cast<ip::Value>(solution->bound);
    answer.finished = solution->optimal;
    return answer;
  });
}
BENCHMARK(cbc_naive)->Args({4, 4})->Args({8, 8})->Args({16, 10})->Iterations(1)->Unit(
    benchmark::kMicrosecond);
#endif

}  // namespace
}  // namespace aliquot

BENCHMARK_MAIN();
