// Collective placement by a general solver (CBC), with the same answer as solve_fast.
//
// Selection: chooses who starts by the set-selection program, packs them, and adds nobody; its bound is
// that of the program. Exact: the optimum of the formulation by classes, for small systems: its value and
// who is chosen, without takes. Effort is a number of nodes of the solver's tree. They are references and
// second opinions: the manager does not link them.
#pragma once

#include "policies/model/error.hpp"
#include "policies/placement/answer.hpp"

namespace aliquot::ip {

[[nodiscard]] Result<Answer> solve_selection(const Instance& instance, int most_nodes = 10'000);
// As solve_exact, and packed: the incumbent is what the packing is worth, which may miss the optimum.
[[nodiscard]] Result<Answer> solve_exact_packed(const Instance& instance, int most_nodes = 1'000'000);
[[nodiscard]] Result<Answer> solve_exact(const Instance& instance, int most_nodes = 1'000'000);

}  // namespace aliquot::ip
