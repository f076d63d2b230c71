// The one interface of all solvers of a collective placement: the fast path (fast.hpp), the set-selection
// program and the exact formulation by a general solver (mip/).
//
// The same instance and effort give the same answer: effort is counted work, never a clock. A solver always
// answers, with what it has, its bound and whether it was finished.
#pragma once

#include <cstdint>
#include <functional>

#include "policies/placement/answer.hpp"

namespace aliquot::ip {

using Solver = std::function<Answer(const Instance&, std::uint64_t effort)>;

}  // namespace aliquot::ip
