// The level of one job alone on a crowded node, to many more digits than LevelSearch::range finds for
// several.
//
// Of one job the whole way of the search follows from two numbers: how much CPU there is for what it needs,
// and how late it is. So the way is gone without looking at the job again, in times of what it takes at
// full speed, where a step of Newton's method needs no division; and most of it need not be gone at all.
// All that decides which way it goes must be clear by far more than rounding can change; else nothing is
// known.
#pragma once

#include <optional>

#include "policies/aliquot/level_range.hpp"

namespace aliquot {

// A job as LevelSearch has it.
struct LoneJob {
  double need;  // of all its tasks here
  double least;
  double late;  // flow + stall
  double rest;
  double whole;
  bool flat;  // at the smallest stretch, at full speed, it gets all that it needs, to the last bit
};

// Where LevelSearch::level ends, to a thousandth of its accuracy or far better; none where that is not
// clear. At equal shares the job gets more than its least.
[[nodiscard]] std::optional<LevelRange> lone_level(const LoneJob& job, double spare, double accuracy);

}  // namespace aliquot
