// ALIQUOT's rule 4: the CPU of contended nodes is shared so that the largest predicted stretch is as small
// as it can be, then the next largest, and so on: lexicographic min-max, by progressive filling.
//
// The contended node with the highest level comes first: its jobs get the shares of that level, none less
// than its floor. That leaves more to their other nodes, whose levels fall, and the next highest follows.
// What is left then raises the yields, cheapest first, as in the DFRS paper. Levels are real numbers; every
// yield is rounded down, so no node gives more than it has.
#pragma once

#include "policies/aliquot/contention.hpp"
#include "policies/aliquot/planning_state.hpp"

namespace aliquot {

// The yields of all jobs; `contention` is that of the draft as it stands. `waiting_pressure`: jobs wait for
// memory, and the jobs that would lose most by a pause are to end sooner.
[[nodiscard]] Yields allocate_shares(const PlanningState& planning, const Contention& contention,
                                     bool waiting_pressure);

// The steps of it.

// While jobs wait for memory, a running job aims at a stretch that is this many times smaller than the
// level of its node: sqrt(1 + P / r). The job that has run shortest gives its memory back soonest, if it
// gets the CPU; if it were paused instead, it would lose P for the little that is left of it. The long jobs
// beside it hardly notice what it takes from them. The root was found by simulation (docs/policy.md).
[[nodiscard]] double waiting_pressure_weight(const Prediction& job, double cost);
// The prediction with that weight: it says S where the job comes to so much less. `cost`: P if jobs wait
// for memory, otherwise 0.
[[nodiscard]] Prediction weighted(Prediction job, double cost);

// Progressive filling, of the yields of all jobs on contended nodes that get less than they need; all
// others are to be full before. `cost` as above.
void fill_progressively(const Contention& contention, Predictions predictions, double cost, Yields& yields);

// Hysteresis: a changed yield is an action on every node of the job, and the predictions are not that
// exact. Where the yields of all jobs that share contended nodes, directly or through others, would change
// by less than a twentieth, and all of them stand where they stood, the yields in force stay: they were
// lawful.
void keep_yields_in_force(const Draft& draft, std::span<const std::uint32_t> placed,
                          const ContentionGroups& groups, Yields& yields);

}  // namespace aliquot
