// Why no schedule can have a max stretch as small as S: in some set of instants T more must be done than
// can be done.
//
// A job that must be served p seconds at full speed within its window [release, deadline(S)], and that can
// be served at most `fastest` of the time outside T, leaves at least p - fastest x |window \ T| for T. With
// a weight for each job such that what is served at one instant never weighs more than `capacity` in all,
// the sum over the jobs of weight x (what is left for T) must not exceed capacity x |T|.
//
// Exact integer arithmetic, and nothing but this arithmetic: whatever found T and the weights (floating
// point, heuristics, a flow), what `proves` says is so. (The dual of the interval LP, scheduling.md 5.)
#pragma once

#include <string>
#include <vector>

#include "tools/sim/bound/instance.hpp"
#include "tools/sim/bound/time_set.hpp"

namespace aliquot {

struct JobWeights {
  std::string name;                // what capacity this is: "cpu", "memory", ...
  std::vector<std::int64_t> each;  // by job of the instance, of the whole job at yield 1; not negative
  Int128 capacity = 0;
};

struct Certificate {
  JobWeights weights;
  TimeSet time;
};

// Is it proved that no schedule has a max stretch of at most `stretch`?
[[nodiscard]] bool proves(const BoundInstance& instance, const Certificate& certificate, Stretch stretch);

// The largest stretch for which it is proved, or `known` if it is not even proved for that. Proofs are
// monotone: with a later deadline less is left for T.
[[nodiscard]] Stretch highest_proved(const BoundInstance& instance, const Certificate& certificate,
                                     Stretch known);

// The work, in microseconds x 10^-6 at full speed, that this job leaves for T.
[[nodiscard]] Int128 left_for(const TimeSet& time, const BoundJob& job, Stretch stretch);

}  // namespace aliquot
