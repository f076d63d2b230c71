// The solver that the policies use: a good placement with a proven bound, in a bounded amount of work.
//
// In this order, each step only where the ones before left a gap: all requests at once; a greedy selection
// by efficiency, repacked when a request does not fit; the refined bound and its sets
// (bound_refinement.hpp); greedy selections in other orders; branch and bound over the relaxation
// (branch_and_bound.hpp). At last the chosen set is packed with every heuristic, for the fewest nodes.
// Source: the formulation is that of IPSCHED, sec. 3, with (5) and (6) read as
// min s_j <= 2|N| c_j <= max s_j; the method is this project's own.
#pragma once

#include <cstdint>
#include <functional>

#include "policies/placement/model/instance.hpp"

namespace aliquot::ip {

// The interface of all solvers of a collective placement. A solver always answers, with what it has, its
// bound, and whether it finished. The same instance and effort give the same answer: effort is counted
// work, never a time.
using Solver = std::function<Answer(const Instance&, std::uint64_t effort)>;

inline constexpr std::uint64_t kUsualEffort = 200'000;  // units of one or two nanoseconds

[[nodiscard]] Answer solve_fast(const Instance& instance, std::uint64_t effort = kUsualEffort);

}  // namespace aliquot::ip
