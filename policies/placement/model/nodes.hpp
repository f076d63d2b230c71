// The nodes behind the node classes: what is free on each, what a request gets of each.
//
// A solution by classes is carried out on these; IPSCHED's solver works on the classes alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/placement/model/instance.hpp"

namespace aliquot::ip {

// By node; none: the node takes nothing new.
using NodeResources = std::vector<std::optional<FreeResources>>;

// So many units of a request on one node.
struct NodeAllocation {
  std::uint32_t request = 0;
  std::uint32_t node = 0;
  std::uint32_t units = 0;
  FreeDevice device;  // chosen by choose_device
  friend bool operator==(const NodeAllocation&, const NodeAllocation&) = default;
};

// To the class of nodes with the same free resources, or a new one.
void add_nodes(std::vector<NodeClass>& classes, const FreeResources& free, std::uint32_t count);
[[nodiscard]] std::vector<NodeClass> classes_of(const NodeResources& nodes);

// Takes the allocations off the free resources, in their order.
void allocate(const Instance& instance, const std::vector<NodeAllocation>& allocations,
              NodeResources& nodes);
// The reverse, for requests that ask for no slice.
void release(const Instance& instance, const std::vector<NodeAllocation>& allocations,
             NodeResources& nodes);

// At most so many classes: beyond, free CPU, memory and parts of devices are rounded down to coarser
// granules, so that what is placed still fits. Whole devices always tell classes apart, so more classes
// remain where these alone make them. Returns the classes with everything rounded up instead, for a bound;
// none if nothing was rounded.
inline constexpr std::size_t kMostClasses = 256;
[[nodiscard]] std::vector<NodeClass> coarsen(NodeResources& nodes, std::size_t most = kMostClasses);

}  // namespace aliquot::ip
