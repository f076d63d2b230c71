// The solvers of a collective placement that need a library of their own: /solver=cbc and /solver=exact of
// IPSCHED and AUCSCHED, for evaluation.
//
// The linker decides which program has them: no_general_solver.cpp in the simulator's library refuses, and
// aliquot-sim-cbc links cbc/general_solver.cpp, whose definition comes first. So aliquot-sim and the
// manager stay free of the solver and of everything that it needs.
#pragma once

#include "policies/model/error.hpp"
#include "policies/placement/grammar.hpp"
#include "policies/placement/solver/fast.hpp"

namespace aliquot {

[[nodiscard]] Result<ip::Solver> general_solver(CollectiveSpec::Solver which);

}  // namespace aliquot
