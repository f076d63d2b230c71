// FCFS and EASY by counting: where all nodes are equal and every running job has yield 1, a decision needs
// only numbers of nodes, and the view's index has them.
//
// The plans equal those of the general algorithms (fcfs.cpp, easy.cpp), node by node; a test compares them.
#pragma once

#include "policies/batch/queue.hpp"

namespace aliquot {

// Whether this view may be decided by counting.
[[nodiscard]] bool countable(const ClusterView& view);

// FCFS, or with `backfills` EASY.
[[nodiscard]] Plan decide_by_counting(const ClusterView& view, bool backfills,
                                      EstimateFrom from = EstimateFrom::user);

}  // namespace aliquot
