// FCFS and EASY by counting: where all nodes are equal and every running job has yield 1, a decision needs
// only numbers of nodes, and the view's index has them.
//
// The plans equal those of the general algorithms (fcfs.cpp, easy.cpp), node by node; a test compares them.
#pragma once

#include "policies/model/plan.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

// Whether this view may be decided by counting.
[[nodiscard]] bool countable(const ClusterView& view);

// FCFS, or with `backfills` EASY.
[[nodiscard]] Plan decide_by_counting(const ClusterView& view, bool backfills);

}  // namespace aliquot
