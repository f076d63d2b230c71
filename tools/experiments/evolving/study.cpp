#include "tools/experiments/evolving/study.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "tools/experiments/campaign/progress.hpp"
#include "tools/experiments/evolving/test_case.hpp"

namespace aliquot::evolving {
namespace {

Result<Ends> ends_with(const OrderStrategy& strategy, const OrderProblem& problem,
                       const EvolvingOptions& options, std::uint64_t seed) {
  switch (strategy.search) {
    case OrderSearch::random:
      return best_random_order(problem, strategy.goal, options.orders, seed);
    case OrderSearch::insertion:
      return best_by_insertion(problem, strategy.goal, options.insertions, seed);
    case OrderSearch::none:
      break;
  }
  return ends_as_submitted(problem);
}

Result<OrderOutcome> compare_orders(std::span<const EvolutionProfile> requested,
                                    const EvolvingOptions& options, std::uint64_t seed) {
  const OrderProblem problem{requested, options.nodes, {ExpandLimit::none(), false}};
  OrderOutcome outcome{makespan_bound(requested, options.nodes), {}};
  for (std::size_t k = 0; k < kOrderStrategies.size(); ++k) {
    const auto ends = ends_with(kOrderStrategies[k], problem, options, seed);
    if (!ends) return tl::unexpected(ends.error());
    outcome.ends[k] = *ends;
  }
  return outcome;
}

Result<TestOutcome> run_test(const EvolvingOptions& options, std::uint64_t seed) {
  const std::vector<EvolutionProfile> requested = random_test_case(seed);
  const auto measured = measure(requested, options.nodes);
  if (!measured) return tl::unexpected(measured.error());
  TestOutcome outcome{*measured, std::nullopt};
  if (options.insertions == 0) return outcome;
  const auto orders = compare_orders(requested, options, seed);
  if (!orders) return tl::unexpected(orders.error());
  outcome.orders = *orders;
  return outcome;
}

}  // namespace

Result<EvolvingStudy> evolving_study(const EvolvingOptions& options, unsigned workers) {
  if (options.nodes < kWidestStep)
    return fail(ErrorKind::invalid_argument, "--nodes: steps of the test cases ask for up to " +
                                                 std::to_string(kWidestStep) + " nodes: give as many");
  EvolvingStudy study{options, std::vector<TestOutcome>(options.tests)};
  std::optional<Error> error;
  CampaignProgress progress(options.tests, 0);
  std::mutex mutex;
  std::atomic<std::uint64_t> next{0};
  const auto work = [&] {
    for (std::uint64_t k = next++; k < options.tests; k = next++) {
      auto outcome = run_test(options, options.first_seed + k);
      const std::lock_guard lock(mutex);
      if (outcome)
        study.tests[k] = *std::move(outcome);
      else
        error = outcome.error();
      progress.done();
    }
  };
  std::vector<std::thread> others;
  for (unsigned w = 1; w < workers; ++w) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  progress.finish();
  if (error) return tl::unexpected(*error);
  return study;
}

}  // namespace aliquot::evolving
