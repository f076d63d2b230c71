// The solvers of a collective placement that need a library of their own: /solver=cbc and /solver=exact of
// IPSCHED and AUCSCHED, for evaluation.
//
// Which program has them is decided by the linker: no_general_solver.cpp stands in the simulator's library
// and refuses; aliquot-sim-cbc brings cbc/general_solver.cpp, whose definition comes first. So aliquot-sim
// and the manager stay free of the solver and of all that it needs.
#pragma once

#include "policies/model/error.hpp"
#include "policies/placement/grammar.hpp"
#include "policies/placement/solver.hpp"

namespace aliquot {

[[nodiscard]] Result<ip::Solver> general_solver(CollectiveSpec::Solver which);

}  // namespace aliquot
