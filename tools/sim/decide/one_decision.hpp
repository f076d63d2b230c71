// One decision over a view with all that `decide` reports: the plan, its violations, the reasons of
// unplaced jobs, the gap between the yields and their bound, and the time of the decision.
//
// The reasons are the policy's own, for the view as the plan leaves it, and at most kMostReasons of them,
// because one may cost as much as a decision.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "monitor/record/plan_check.hpp"
#include "monitor/yield_bound.hpp"
#include "policies/policy.hpp"

namespace aliquot {

inline constexpr std::size_t kMostReasons = 100;

struct Unplaced {
  JobId job;
  Explanation why;
};

struct OneDecision {
  Plan plan;
  std::vector<Violation> violations;  // if any, the fields below are not filled in
  std::size_t unplaced = 0;
  std::vector<Unplaced> reasons;  // of the first of them, by id
  YieldBound yields;
  std::optional<ProvenGap> placement;     // of a policy that knows how good its placements are
  std::vector<std::int64_t> nanoseconds;  // of each repetition, increasing
};

// `nanoseconds` is a clock; `repeat`, at least 1, is how often the same decision is taken and timed.
[[nodiscard]] OneDecision decide_once(const ClusterView& view, const Policy& policy, std::uint64_t repeat,
                                      const std::function<std::int64_t()>& nanoseconds);

}  // namespace aliquot
