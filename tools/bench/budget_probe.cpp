// Measures what tools/bench/budgets asks for inside one process, each figure in units of a reference loop
// that runs beside it on the same core: CPU time of the measured call / CPU time of the loop.
//
//   budget_probe            prints one JSON object: {"reference_ms": ..., "figures": {name: units}}
//
// The smallest of several batches counts on both sides, so that other work on the machine, which only ever
// adds time, drops out.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "policies/evolving/fit.hpp"
#include "policies/placement/solver/fast.hpp"
#include "policies/policy.hpp"
#include "tools/bench/esp_window.hpp"
#include "tools/bench/reference_loop.hpp"
#include "tools/bench/steady_view.hpp"
#include "tools/sim/decide/draws.hpp"
#include "tools/sim/decide/view_maker.hpp"

namespace aliquot {
namespace {

constexpr int kBatches = 7;
constexpr double kLeastBatch_s = 0.02;  // long beside the resolution of the clock

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Call>
double seconds_of(int times, const Call& call) {
  const double before = cpu_seconds();
  for (int k = 0; k < times; ++k) call();
  return (cpu_seconds() - before) / times;
}

struct Figure {
  std::string name;
  double units = 0;
};

struct Measured {
  double reference_s = std::numeric_limits<double>::infinity();
  std::vector<Figure> figures;

  void add(std::string name, const std::function<void()>& call) {
    const double once = std::max(1e-9, seconds_of(1, call));  // warms up, and says how often fills a batch
    const int times = std::clamp(static_cast<int>(kLeastBatch_s / once), 1, 10'000);
    double best = std::numeric_limits<double>::infinity();
    double reference = best;
    for (int batch = 0; batch < kBatches; ++batch) {
      reference = std::min(reference, seconds_of(10, bench::reference_loop));
      best = std::min(best, seconds_of(times, call));
    }
    reference_s = std::min(reference_s, reference);
    figures.push_back({std::move(name), best / reference});
  }
};

void add_decision(Measured& measured, const char* policy_name, std::uint32_t nodes, std::uint32_t jobs,
                  bool steady) {
  const auto policy = *make_policy(policy_name);
  constexpr int kTurns = 15;  // the search of rule 3 is not due in the last of them
  ClusterView view = steady ? make_steady_view(nodes, jobs, Sizes::paper, 1, *policy, kTurns)
                            : make_view(nodes, jobs, Sizes::paper, 1);
  view.index.rebuild(view);
  const std::string size = std::to_string(nodes) + "x" + std::to_string(jobs);
  measured.add(std::string(policy_name) + (steady ? " steady " : " busy ") + size,
               [&] { (void)policy->decide(view); });
}

void add_placement_window(Measured& measured) {
  std::vector<ip::Instance> windows;
  for (int k = 0; k < 10; ++k) {
    bench::EspShape shape;
    shape.busy = 10 * k;
    windows.push_back(bench::esp_window(static_cast<std::uint64_t>(k), shape));
  }
  measured.add("ten placement windows", [&] {
    for (const ip::Instance& window : windows) (void)ip::solve_fast(window);
  });
}

// As in the paper's test cases, for ten times as many nodes (tools/experiments/evolving/test_case.hpp).
evolving::EvolutionProfile random_profile(Draws& draws, std::int64_t steps) {
  std::vector<evolving::ProfileStep> made;
  for (std::int64_t i = 0; i < steps; ++i)
    made.push_back({seconds(draws.between(500, 3'600)), draws.between(1, 750)});
  return evolving::EvolutionProfile::of(std::move(made)).value();
}

void add_evolving_fit(Measured& measured) {
  Draws draws(1);
  evolving::ResourceProfile resources(1'000);
  while (resources.segments() < 10'000) {
    const auto application = random_profile(draws, draws.between(1, 10));
    resources.occupy(evolving::fit(application, resources, {}, Instant{0}).value());
  }
  const auto request = random_profile(draws, 100);
  const evolving::FitRule rule{evolving::ExpandLimit::times(2), true};
  measured.add("fit of 100 steps, 10,000 segments",
               [&] { (void)evolving::fit(request, resources, rule, Instant{0}).value(); });
}

void print(const Measured& measured) {
  std::printf("{\"reference_ms\": %.6f, \"figures\": {", 1e3 * measured.reference_s);
  const char* comma = "";
  for (const Figure& figure : measured.figures) {
    std::printf("%s\"%s\": %.9f", comma, figure.name.c_str(), figure.units);
    comma = ", ";
  }
  std::printf("}}\n");
}

}  // namespace
}  // namespace aliquot

int main() {
  using namespace aliquot;
  Measured measured;
  add_decision(measured, "DYNMCB8", 128, 100, false);
  add_decision(measured, "DYNMCB8", 10'000, 10'000, false);
  add_decision(measured, "ALIQUOT", 128, 100, true);
  add_decision(measured, "ALIQUOT", 128, 100, false);
  add_decision(measured, "ALIQUOT", 10'000, 10'000, true);
  add_decision(measured, "ALIQUOT", 10'000, 10'000, false);
  add_placement_window(measured);
  add_evolving_fit(measured);
  print(measured);
}
