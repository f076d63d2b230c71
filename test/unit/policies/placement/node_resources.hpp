// The free cores and devices of some nodes, and one request for them.
#pragma once

#include <utility>
#include <vector>

#include "policies/placement/model/nodes.hpp"

namespace aliquot::test {

inline ip::FreeResources free_of(std::uint32_t cpu, std::uint16_t devices = 0) {
  ip::FreeResources free;
  free.cpu = cpu;
  free.devices[0] = devices;
  return free;
}

// By node: cores free, and devices.
inline ip::NodeResources nodes_with(const std::vector<std::pair<int, int>>& nodes) {
  ip::NodeResources found;
  for (const auto& [cpu, devices] : nodes)
    found.push_back(free_of(static_cast<std::uint32_t>(cpu), static_cast<std::uint16_t>(devices)));
  return found;
}

inline ip::Instance one_request(const ip::NodeResources& nodes, const ip::Request& request) {
  ip::Instance instance;
  instance.nodes = static_cast<std::uint32_t>(nodes.size());
  instance.kinds = {{0}};
  instance.classes = ip::classes_of(nodes);
  instance.requests = {request};
  return instance;
}

using Nodes = std::vector<std::uint32_t>;

inline Nodes nodes_of(const std::vector<ip::NodeAllocation>& allocations) {
  Nodes nodes;
  for (const ip::NodeAllocation& a : allocations) nodes.push_back(a.node);
  return nodes;
}

// Figure 2 of AUCSCHED: the free cores and GPUs of 12 nodes.
inline ip::NodeResources figure_2() {
  return nodes_with(
      {{4, 1}, {8, 2}, {2, 2}, {4, 0}, {0, 0}, {4, 2}, {1, 2}, {2, 1}, {2, 1}, {2, 0}, {0, 0}, {4, 1}});
}

}  // namespace aliquot::test
