// Tasks for a cluster of equal nodes, by seed: what the exact packing is measured on.
//
// Jobs of Lublin and Feitelson's sizes are drawn until their memory is a chosen part of the cluster's, from
// three tenths to nearly all of it. Per task, of nodes of 4 cores and 8 GB:
//   paper       the needs and requirements of DFRS, IV-C: a quarter of a node if serial, else a whole one;
//               a tenth of its memory with probability 0.55, else two to ten tenths
//   flavours    half a core to four, a 32nd to a half of the memory, both by powers of two
//   tenths      tenths of the CPU, twentieths of the memory up to 65 %; at most 64 different shapes
//   drawn       64 shapes drawn once, both amounts uniform, up to a whole node's CPU and 65 % of its memory
//   continuous  every job as the 64 of `drawn`
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "policies/packing/exact/best_yield.hpp"

namespace aliquot {

enum class ShapesOf : std::uint8_t { paper, flavours, tenths, drawn, continuous };

struct PackingInstance {
  std::vector<YieldShape> shapes;
  YieldNodes nodes;
};

// The same everywhere. Whether there is a packing at all is not looked at.
[[nodiscard]] PackingInstance make_instance(ShapesOf shapes, std::uint32_t nodes, std::uint64_t seed);

}  // namespace aliquot
