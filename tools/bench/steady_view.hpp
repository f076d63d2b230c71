// A moment of a cluster that a policy has ruled for a while: one job has just ended, another has come.
//
// It begins with the busy moment of tools/sim/decide/view_maker.hpp, which no policy has made: there
// a policy may find thousands of jobs to pause at once (an upheaval). So the policy decides, what it wants
// stands at once, and a second later a job that runs ends and one arrives, so many turns; the last event is
// left to be decided, with the policy's memory as after the decision before. As many jobs as at first, and
// as in the first view more than there is room for: most wait or are paused.
#pragma once

#include "policies/policy.hpp"
#include "tools/sim/decide/view_maker.hpp"

namespace aliquot {

// The same view for the same arguments and the same policy everywhere. Its index is kept.
[[nodiscard]] ClusterView make_steady_view(std::uint32_t nodes, std::uint32_t jobs, Sizes sizes,
                                           std::uint64_t seed, const Policy& policy, int turns);

}  // namespace aliquot
