// ALIQUOT's rule 1 with fair share: jobs of small weights make way.
//
// Where memory is scarce, a pending job may fit on a few nodes only, where its tasks share the CPU with one
// another and with jobs of its own weight, while jobs of far smaller weights hold the memory of other
// nodes. So it is placed once more as if these stood nowhere. Those that still fit stay where they stand,
// the highest priority first; the others are paused for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policies/aliquot/planning_state.hpp"

namespace aliquot {

// Does the first weigh so much less than the second that it makes way for it?
[[nodiscard]] bool makes_way_for(Weight lighter, Weight job);

// What it has cost, and what it has brought: the CPU that is needed on the fullest node of the job, over
// what that node has, 1 at least.
struct Way {
  std::vector<std::uint32_t> paused;  // entries that the draft does not place any more
  double before = 1;                  // at its first place
  double after = 1;                   // at its new place
};

// The job has just been placed and has no placement in force. `lighter`: entries that stand where their
// view has them and may be paused, the highest priority first. None: it stays where it is, as all others
// do, because no node of it is contended, or elsewhere it would be hardly better off.
[[nodiscard]] std::optional<Way> make_way(PlanningState& planning, std::size_t job,
                                          std::span<const std::uint32_t> lighter);

}  // namespace aliquot
