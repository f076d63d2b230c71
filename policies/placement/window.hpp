// The window: from a cluster view to a problem of collective placement.
//
// Takes the first waiting jobs by priority. Their demands and the free resources of the nodes are counted
// in granules: the granule is the common divisor of the demands, so rounding free amounts down and demands
// up loses nothing unless a node holds more than four thousand million granules. Each job gets all it
// needs: nothing is shared. To keep the node classes few, the window leaves out the device models that none
// of its jobs asks for, and memory where the CPU always runs out first. Of a node at most
// ip::kModelsPerNode models are told apart, and of the nodes at most ip::kMostClasses classes
// (ip::coarsen). A partly used device counts as far as the slices asked for can use it (ip::SliceSizes).
// The integer program does not express jobs without any CPU need: they stand in `others`.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/draft.hpp"
#include "policies/model/free_devices.hpp"
#include "policies/placement/grammar.hpp"
#include "policies/placement/model/nodes.hpp"

namespace aliquot {

struct Window {
  ip::Instance instance;
  ip::NodeResources nodes;
  // Classes with everything rounded up instead of down, for a bound; empty: nothing was rounded.
  std::vector<ip::NodeClass> ceiling;
  std::vector<std::size_t> entries;  // of the draft, by request
  std::vector<std::size_t> others;   // entries, by priority
};

// All candidates, by priority. Basic: the user's own priority, then submission. Multifactor: age and size
// count too.
[[nodiscard]] std::vector<std::size_t> by_priority(const Draft& draft, const CollectiveSpec& spec);

// `waiting`: entries by priority, of which at most `most` enter the window.
[[nodiscard]] Window window_of(const Draft& draft, const FreeDevices& free,
                               const std::vector<std::size_t>& waiting, const CollectiveSpec& spec,
                               std::uint32_t most);

}  // namespace aliquot
