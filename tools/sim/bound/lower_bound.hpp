// The offline lower bound on the max bounded stretch of a workload: what no schedule can beat, not even
// one that knows everything beforehand and pauses and moves at no cost. (scheduling.md, section 5.)
//
// Valid by construction: it is what a certificate proves (certificate.hpp), or what a job takes alone. How
// tight it is depends on the search: for each capacity (weights.hpp, node_weights.hpp) the largest stretch
// at which the interval LP is infeasible is found by a discrete Newton method: a maximum flow finds the
// overloaded instants, these prove a larger stretch, and so on until all fits.
//
// Long workloads are searched in stretches of consecutive jobs: what a part of the jobs needs, all need.
#pragma once

#include "tools/sim/bound/certificate.hpp"

namespace aliquot {

struct LowerBound {
  Stretch stretch = kNoStretch;  // no schedule has a smaller max bounded stretch
  // Why: the capacity ("cpu", "memory", "nodes", "width 1/2") and the instants at which it is overloaded;
  // no instants where it is only what some job takes alone, or 1.
  std::string capacity = "alone";
  TimeSet time;
  std::size_t jobs = 0;  // that leave something for these instants
};

[[nodiscard]] LowerBound lower_bound(const BoundInstance& instance);

// The largest stretch that this one capacity proves, but not less than `known`; the whole instance at once.
[[nodiscard]] Certificate climb(const BoundInstance& instance, const JobWeights& weights, Stretch& known);

}  // namespace aliquot
