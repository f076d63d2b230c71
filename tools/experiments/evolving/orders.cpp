#include "tools/experiments/evolving/orders.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "manager/hypervisor/model/chance.hpp"
#include "tools/sim/generate/gpu_jobs.hpp"

namespace aliquot::evolving {
namespace {

// What draws are for; test_case.cpp has others.
constexpr std::uint64_t kTakenPurpose = 10;
constexpr std::uint64_t kPutPurpose = 11;
constexpr std::uint64_t kShufflePurpose = 12;  // and those after it

using Order = std::vector<std::size_t>;

Order submission_order(const OrderProblem& problem) {
  Order order(problem.requested.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

Result<Ends> ends_of(const OrderProblem& problem, const Order& order) {
  ListSchedule list(problem.nodes, problem.rule);
  Ends ends;
  for (const std::size_t application : order) {
    const auto given = list.add(problem.requested[application]);
    if (!given) return tl::unexpected(given.error());
    const Duration completion = given->end() - Instant{0};
    ends.makespan = std::max(ends.makespan, completion);
    ends.completion += completion;
  }
  return ends;
}

Duration value_of(const Ends& ends, Goal goal) {
  return goal == Goal::makespan ? ends.makespan : ends.completion;
}

void move_one(Order& order, const Chance& chance, std::uint64_t number) {
  const auto most = static_cast<std::int64_t>(order.size()) - 1;
  const std::int64_t from = chance.up_to(most, number, 0, kTakenPurpose);
  const std::int64_t to = chance.up_to(most, number, 0, kPutPurpose);
  const auto begin = order.begin();
  if (from < to)
    std::rotate(begin + from, begin + from + 1, begin + to + 1);
  else
    std::rotate(begin + to, begin + from, begin + from + 1);
}

}  // namespace

Result<Ends> ends_as_submitted(const OrderProblem& problem) {
  return ends_of(problem, submission_order(problem));
}

Result<Ends> best_random_order(const OrderProblem& problem, Goal goal, std::uint64_t orders,
                               std::uint64_t seed) {
  auto best = ends_as_submitted(problem);
  for (std::uint64_t k = 0; best && k < orders; ++k) {
    auto ends = ends_of(problem, shuffled(problem.requested.size(), Chance(seed), kShufflePurpose + k));
    if (!ends || value_of(*ends, goal) < value_of(*best, goal)) best = std::move(ends);
  }
  return best;
}

Result<Ends> best_by_insertion(const OrderProblem& problem, Goal goal, std::uint64_t insertions,
                               std::uint64_t seed) {
  Order order = submission_order(problem);
  auto best = ends_of(problem, order);
  for (std::uint64_t k = 0; best && k < insertions; ++k) {
    Order moved = order;
    move_one(moved, Chance(seed), k);
    auto ends = ends_of(problem, moved);
    if (ends && value_of(*ends, goal) > value_of(*best, goal)) continue;
    order = std::move(moved);
    best = std::move(ends);
  }
  return best;
}

Duration makespan_bound(std::span<const EvolutionProfile> requested, std::int64_t nodes) {
  Duration bound;
  std::vector<ProfileStep> steps;
  std::set<std::int64_t> widths = {nodes / 2};  // the bound rises with p until it passes a step's width
  for (const EvolutionProfile& application : requested) {
    bound = std::max(bound, application.total_duration());
    for (const ProfileStep& step : application.steps()) {
      steps.push_back(step);
      if (step.nodes <= nodes / 2) widths.insert(step.nodes);
    }
  }
  for (const std::int64_t p : widths) {
    NodeTime area;
    for (const ProfileStep& step : steps) {
      const std::int64_t counted = step.nodes > nodes - p ? nodes : step.nodes < p ? 0 : step.nodes;
      area = area + node_time(step.duration, counted);
    }
    bound = std::max(bound, Duration{static_cast<std::int64_t>((area.raw + nodes - 1) / nodes)});
  }
  return bound;
}

}  // namespace aliquot::evolving
