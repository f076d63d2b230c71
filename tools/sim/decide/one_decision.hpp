// One decision over a view, looked at from all sides: the plan, whether it is lawful, why what is not
// placed is not, how far the shares are from their bound, and how long the deciding took.
//
// Explanations are those of the policy itself, asked about the view as the plan leaves it; for at most
// kMostReasons jobs, because one may cost as much as a decision.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "policies/model/plan_check.hpp"
#include "policies/packing/exact/yield_bound.hpp"
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

// `nanoseconds` is a clock. Every repetition decides the same anew; `repeat` is at least 1.
[[nodiscard]] OneDecision decide_once(const ClusterView& view, const Policy& policy, std::uint64_t repeat,
                                      const std::function<std::int64_t()>& nanoseconds);

}  // namespace aliquot
