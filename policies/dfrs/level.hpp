// What a level of the yield search means for a job: the yield it stands for.
#pragma once

#include <functional>

#include "policies/draft.hpp"

namespace aliquot {

struct LevelRule {
  std::function<Yield(const Job&, Yield level)> yield_at;
  bool equal_for_equal_demands = true;  // false: depends on the job's history too
};

// DYNMCB8, -PER, -ASAP-PER: the level is the yield itself, never below a job's guarantee.
[[nodiscard]] inline LevelRule level_is_yield() {
  return {[](const Job& job, Yield level) { return std::max(level, floor_of(job.demand)); }, true};
}

}  // namespace aliquot
