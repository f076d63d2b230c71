// Fits an application with an evolution profile beside what a cluster has in use already: Algorithm 2 of
// Klein and Perez, "Towards Scheduling Evolving Applications", 2011, sec. 4.2, and its compacting.
//
// The answer is the schedule with the earliest end, and among them the one in which every step begins as
// early as it can (compacting: as late as it can). A step may be expanded up to the expand limit, and holds
// its nodes meanwhile. The first step is delayed instead of being expanded, the last one ends when its work
// is done.
//
// Not the paper's recursion, which takes exponential time for a finite limit above 1, but its result: if
// two schedules are feasible, so is the one that begins every step at the earlier of the two instants.
// There is therefore one schedule with the earliest beginning of every step, the least fixpoint of lower
// bounds that only rise. S steps and M segments need at most S^2 M rises of O(log M) each.
//
// Pure: what runs already, or is promised, stands in the resource profile, and now is an argument. Errors:
// a profile with a step that asks for more nodes than there are (refused); an end beyond kLatest
// (too_large).
#pragma once

#include <algorithm>

#include "policies/evolving/resource_profile.hpp"

namespace aliquot::evolving {

// How many times its duration a step may hold its nodes for, at least 1: the paper's l. In millionths.
class ExpandLimit {
 public:
  // 1, "noX": the profile is delayed, never expanded.
  [[nodiscard]] static constexpr ExpandLimit none() { return ExpandLimit(kMillion); }
  // "2X" is times(2). Below 1 counts as 1, and the highest finite limit is a million.
  [[nodiscard]] static constexpr ExpandLimit times(std::int64_t whole, std::int64_t millionths = 0) {
    whole = std::clamp<std::int64_t>(whole, 0, kMillion - 1);
    millionths = std::clamp<std::int64_t>(millionths, 0, kMillion);
    return ExpandLimit(std::max(kMillion, whole * kMillion + millionths));
  }
  // "infX".
  [[nodiscard]] static constexpr ExpandLimit unlimited() { return ExpandLimit(kUnlimited); }

  [[nodiscard]] constexpr bool is_unlimited() const { return millionths_ == kUnlimited; }
  // How long a step of this duration may hold its nodes, rounded down; kForever at most.
  [[nodiscard]] constexpr Duration longest(Duration step) const {
    const Int128 product = static_cast<Int128>(step.raw) * millionths_ / kMillion;
    return is_unlimited() || product > kForever.raw ? kForever
                                                    : Duration{static_cast<std::int64_t>(product)};
  }

  // Longer than from kEarliest to kLatest.
  static constexpr Duration kForever{std::int64_t{1} << 62};

  friend bool operator==(ExpandLimit, ExpandLimit) = default;

 private:
  static constexpr std::int64_t kUnlimited = INT64_MAX;
  explicit constexpr ExpandLimit(std::int64_t millionths) : millionths_(millionths) {}
  std::int64_t millionths_;
};

struct FitRule {
  ExpandLimit limit = ExpandLimit::none();
  bool compacting = false;  // "+c": the same end, the latest start and the least expansion for it
};

// A schedule that starts at `from` at the earliest, which is what remains free in `resources`.
[[nodiscard]] Result<ScheduledProfile> fit(const EvolutionProfile& requested,
                                           const ResourceProfile& resources, const FitRule& rule,
                                           Instant from);

// The rest of an application that runs, as when it announces other steps than it has asked for: `rest`
// begins with the step that it is in, which `began` at some instant up to `now` and has its nodes. That
// step is expanded instead of being delayed; no other begins before now. `resources` is without the
// application. Error conflict: its nodes are promised to others before its next step can begin, or the
// limit is too low.
[[nodiscard]] Result<ScheduledProfile> fit_rest(const EvolutionProfile& rest, Instant began,
                                                const ResourceProfile& resources, ExpandLimit limit,
                                                Instant now);

}  // namespace aliquot::evolving
