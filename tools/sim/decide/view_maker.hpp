// Makes a view of a busy cluster, by seed: to time decisions on, and as an example of a view.
//
// Nodes of 4 cores and 8 GB. Jobs: the sizes of Lublin and Feitelson's model (its typeless stream, at most
// 128 tasks; 12 on average), and per task either
//   paper       the needs and requirements of DFRS, IV-C: a quarter of a node if serial, else a whole one;
//               a tenth of its memory with probability 0.55, else two to ten tenths; or
//   continuous  both uniform, up to a whole node's CPU and 65 % of its memory.
// Jobs arrived over the last day and were placed in order, each task on the next node with enough memory;
// jobs that found no place wait, or were paused. All running jobs have one yield. The last job has just
// arrived.
#pragma once

#include <cstdint>

#include "policies/model/view.hpp"

namespace aliquot {

enum class Sizes : std::uint8_t { paper, continuous };

// The same view for the same arguments everywhere: splitmix64, draws in the order of the jobs.
[[nodiscard]] ClusterView make_view(std::uint32_t nodes, std::uint32_t jobs, Sizes sizes,
                                    std::uint64_t seed);

}  // namespace aliquot
