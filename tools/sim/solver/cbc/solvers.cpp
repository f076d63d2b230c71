#include "tools/sim/solver/cbc/solvers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "policies/placement/solver/packer.hpp"
#include "tools/sim/solver/cbc/cbc.hpp"
#include "tools/sim/solver/cbc/formulations.hpp"

namespace aliquot::ip {

namespace {

bool is_set(double x) { return x > 0.5; }

// The bound of whole values, from a solver that computes in doubles.
Value whole_bound(double bound) { return static_cast<Value>(std::floor(bound * (1 + 1e-9) + 0.5)); }

// The best packing of a subset by any heuristic.
Answer packed(const Instance& instance, const RequestSet& set) {
  Placer placer(instance);
  const FreeCapacity capacity = free_capacity(instance);
  Packer packer(placer, capacity);
  Packing best = packer.empty(NodeOrder::spare_devices);
  for (const PackingHeuristic& heuristic : kPackingHeuristics) {
    Packing trial = packer.pack_some(set, heuristic);
    if (trial.value > best.value) best = std::move(trial);
  }
  return packer.answer(best);
}

}  // namespace

Result<Answer> solve_selection(const Instance& instance, int most_nodes) {
  const auto solution = solve(selection_program(instance), most_nodes);
  if (!solution) return tl::unexpected(solution.error());
  RequestSet set(instance.requests.size(), false);
  for (std::size_t j = 0; j < set.size() && !solution->x.empty(); ++j) set[j] = is_set(solution->x[j]);
  Answer answer = packed(instance, set);
  answer.bound = std::max(whole_bound(solution->bound), answer.incumbent);
  answer.work = solution->nodes;
  answer.finished = solution->optimal;
  return answer;
}

Result<Answer> solve_exact(const Instance& instance, int most_nodes) {
  const auto program = exact_program(instance);
  if (!program) return tl::unexpected(program.error());
  const auto solution = solve(*program, most_nodes);
  if (!solution) return tl::unexpected(solution.error());
  Answer answer;
  answer.bound = whole_bound(solution->bound);
  answer.incumbent = static_cast<Value>(std::llround(solution->value));
  answer.finished = solution->optimal;
  answer.work = solution->nodes;
  for (std::uint32_t j = 0; j < instance.requests.size() && !solution->x.empty(); ++j) {
    if (is_set(solution->x[j])) answer.chosen.push_back({j, 0});
  }
  return answer;
}

Result<Answer> solve_exact_packed(const Instance& instance, int most_nodes) {
  const auto exact = solve_exact(instance, most_nodes);
  if (!exact) return exact;
  RequestSet set(instance.requests.size(), false);
  for (const Chosen& chosen : exact->chosen) set[chosen.request] = true;
  Answer answer = packed(instance, set);
  answer.bound = exact->bound;
  answer.work = exact->work;
  answer.finished = exact->finished;
  return answer;
}

}  // namespace aliquot::ip
