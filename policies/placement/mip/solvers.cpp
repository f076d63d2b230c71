#include "policies/placement/mip/solvers.hpp"

#include <algorithm>
#include <cmath>

#include "policies/placement/mip/cbc.hpp"
#include "policies/placement/mip/formulations.hpp"
#include "policies/placement/packing.hpp"

namespace aliquot::ip {

namespace {

bool is_set(double x) { return x > 0.5; }

// A bound of whole values, from a solver that counts in doubles.
Value whole_bound(double bound) { return static_cast<Value>(std::floor(bound * (1 + 1e-9) + 0.5)); }

// As many of the set as some recipe packs.
Answer packed(const Instance& instance, const Flags& set) {
  Placer placer(instance);
  const Rooms start = rooms_of(instance);
  Packer packer(placer, start);
  Packing best = packer.nothing(Style::spare_devices);
  Packing trial;
  for (const Recipe& recipe : Packer::recipes()) {
    packer.pack_some(set, recipe, trial);
    if (trial.value > best.value) best = trial;
  }
  Answer answer;
  packer.write(best, answer);
  return answer;
}

}  // namespace

Result<Answer> solve_selection(const Instance& instance, int most_nodes) {
  const auto solution = solve(selection_program(instance), most_nodes);
  if (!solution) return tl::unexpected(solution.error());
  Flags set(instance.requests.size(), 0);
  for (std::size_t j = 0; j < set.size() && !solution->x.empty(); ++j)
    set[j] = is_set(solution->x[j]) ? 1 : 0;
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
  Flags set(instance.requests.size(), 0);
  for (const Chosen& chosen : exact->chosen) set[chosen.request] = 1;
  Answer answer = packed(instance, set);
  answer.bound = exact->bound;
  answer.work = exact->work;
  answer.finished = exact->finished;
  return answer;
}

}  // namespace aliquot::ip
