#include "tools/sim/solver/general_solver.hpp"

#include <algorithm>

#include "policies/placement/solver/fast.hpp"
#include "tools/sim/solver/cbc/solvers.hpp"

namespace aliquot {
namespace {

// Work of the fast solver for which one node of the tree stands: the usual effort is ten thousand nodes.
constexpr std::uint64_t kWorkOfANode = 20;
constexpr std::uint64_t kMostNodes = 1'000'000'000;

int nodes_for(std::uint64_t effort) {
  return static_cast<int>(std::clamp<std::uint64_t>(effort / kWorkOfANode, 1, kMostNodes));
}

// Where the program is too large or has no solution: the answer of the fast solver, not finished.
ip::Answer answer_of(const Result<ip::Answer>& solved, const ip::Instance& instance, std::uint64_t effort) {
  if (solved) return *solved;
  ip::Answer fast = ip::solve_fast(instance, effort);
  fast.finished = false;
  return fast;
}

}  // namespace

Result<ip::Solver> general_solver(CollectiveSpec::Solver which) {
  if (which == CollectiveSpec::Solver::fast) return ip::Solver(ip::solve_fast);
  const auto solve = which == CollectiveSpec::Solver::exact ? ip::solve_exact_packed : ip::solve_selection;
  return ip::Solver([solve](const ip::Instance& instance, std::uint64_t effort) {
    return answer_of(solve(instance, nodes_for(effort)), instance, effort);
  });
}

}  // namespace aliquot
