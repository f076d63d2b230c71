// Collective placement by a general solver (CBC), with the same answer as solve_fast.
//
// Selection: chooses jobs by the set-selection program and packs them, without adding others; its bound is
// that of the program. Exact: the optimum of the formulation by classes, for small systems: its value and
// the chosen jobs, without allocations. Effort is a number of nodes of the solver's tree. They are
// references for tests and evaluation: the manager does not link them.
#pragma once

#include "policies/model/error.hpp"
#include "policies/placement/model/instance.hpp"

namespace aliquot::ip {

[[nodiscard]] Result<Answer> solve_selection(const Instance& instance, int most_nodes = 10'000);
// As solve_exact, and packed: the incumbent is the value of the packing, which may miss the optimum.
[[nodiscard]] Result<Answer> solve_exact_packed(const Instance& instance, int most_nodes = 1'000'000);
[[nodiscard]] Result<Answer> solve_exact(const Instance& instance, int most_nodes = 1'000'000);

}  // namespace aliquot::ip
