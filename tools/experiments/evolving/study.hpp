// `evaluate evolving`: the paper's comparison on random test cases, each under every algorithm, and what
// better orders of the list bring. Source: Klein and Perez, "Towards Scheduling Evolving Applications",
// 2011, sec. 5.
#pragma once

#include "tools/experiments/evolving/measures.hpp"
#include "tools/experiments/evolving/orders.hpp"

namespace aliquot::evolving {

struct EvolvingOptions {
  std::uint64_t tests = 2'000;
  std::uint64_t first_seed = 1;      // of the first test case; each further one has the next
  std::int64_t nodes = 100;          // the paper does not say; this number agrees with its tables
  std::uint64_t orders = 100;        // random ones
  std::uint64_t insertions = 1'000;  // 0: orders are not compared
};

enum class OrderSearch { none, random, insertion };

struct OrderStrategy {
  std::string_view name;  // after the number of orders that it tries
  OrderSearch search = OrderSearch::none;
  Goal goal = Goal::makespan;
};
inline constexpr std::array<OrderStrategy, 5> kOrderStrategies = {{
    {"order of submission"},
    {"random orders, for the makespan", OrderSearch::random, Goal::makespan},
    {"random orders, for the completion times", OrderSearch::random, Goal::completion},
    {"insertions, for the makespan", OrderSearch::insertion, Goal::makespan},
    {"insertions, for the completion times", OrderSearch::insertion, Goal::completion},
}};

// Of one test case, with noX.
struct OrderOutcome {
  Duration bound;                                  // of the makespan
  std::array<Ends, kOrderStrategies.size()> ends;  // by strategy
};

struct TestOutcome {
  std::array<Values, kAlgorithms.size()> measured;  // by algorithm
  std::optional<OrderOutcome> orders;               // none: not asked for
};

struct EvolvingStudy {
  EvolvingOptions options;
  std::vector<TestOutcome> tests;
};

// On so many threads, whose number changes nothing but the time. Shows its progress on standard error.
// Errors: a cluster that is smaller than a step (invalid_argument).
[[nodiscard]] Result<EvolvingStudy> evolving_study(const EvolvingOptions& options, unsigned workers);

}  // namespace aliquot::evolving
