// Views that are hard on a packer, by seed: eight kinds in turn, so that any range of seeds has them all.
// What the nodes and the jobs are like is said at each kind; jobs have run or not, at random.
#pragma once

#include "test/support/random_view.hpp"

namespace aliquot::test {

inline constexpr std::uint64_t kPackingKinds = 8;

[[nodiscard]] ClusterView packing_view(std::uint64_t seed);

}  // namespace aliquot::test
