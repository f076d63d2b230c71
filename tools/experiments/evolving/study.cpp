#include "tools/experiments/evolving/study.hpp"

#include <algorithm>

#include "tools/experiments/campaign/on_threads.hpp"
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
  const auto done = on_threads(options.tests, workers, [&](std::size_t k) -> Result<void> {
    auto outcome = run_test(options, options.first_seed + k);
    if (!outcome) return tl::unexpected(outcome.error());
    study.tests[k] = *std::move(outcome);
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return study;
}

}  // namespace aliquot::evolving
