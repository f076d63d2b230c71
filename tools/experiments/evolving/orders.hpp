// What a better order of the list brings to Algorithm 1: random orders, and insertion, a local search that
// moves one application to another place of the list and keeps what is not worse.
//
// Deterministic: draws are from Chance by the seed. Sizes are those of the paper's test cases, so that sums
// of times stay far from an overflow. Errors: those of ListSchedule.
#pragma once

#include <span>

#include "policies/evolving/list_schedule.hpp"

namespace aliquot::evolving {

struct OrderProblem {
  std::span<const EvolutionProfile> requested;
  std::int64_t nodes = 0;
  FitRule rule;
};

// Of the schedule of one order.
struct Ends {
  Duration makespan;
  Duration completion;  // sum of the ends of all applications
};
[[nodiscard]] Result<Ends> ends_as_submitted(const OrderProblem& problem);

enum class Goal { makespan, completion };

// The best of so many random orders and the order of submission.
[[nodiscard]] Result<Ends> best_random_order(const OrderProblem& problem, Goal goal, std::uint64_t orders,
                                             std::uint64_t seed);
// From the order of submission, after so many insertions were tried.
[[nodiscard]] Result<Ends> best_by_insertion(const OrderProblem& problem, Goal goal,
                                             std::uint64_t insertions, std::uint64_t seed);

// No schedule has a shorter makespan: the longest application, and the area in nodes, where steps that
// exclude each other count as wider than they are (the bound of Martello and Toth for bin packing,
// "Knapsack Problems", 1990, sec. 8.3.2: for every p up to half of the nodes, a step of more than nodes - p
// counts as all nodes, and one of fewer than p as none).
[[nodiscard]] Duration makespan_bound(std::span<const EvolutionProfile> requested, std::int64_t nodes);

}  // namespace aliquot::evolving
