// The simulated cluster: equal nodes, or kinds of nodes that differ in cores, speed, memory and
// devices.
//
// A workload's CPU needs and memory are fractions of the reference node. A task whose need is more than a
// node has gets what there is: it runs there at a lower yield. The paper's GB is 10^9 bytes here, so that
// tenths of a node are whole bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/device_words.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

struct NodeKind {
  std::string name;
  std::uint32_t count = 1;
  std::uint32_t cores = 0;
  std::int64_t speed_ppm = kMillion;  // of one core, against the reference core
  Memory memory;
  std::vector<DeviceWord> devices = {};
  HypervisorKind hypervisor = HypervisorKind::libvirt;
  bool local_saves = false;  // a saved VM can be restored only where it was saved

  [[nodiscard]] Cpu capacity() const { return {std::int64_t{cores} * speed_ppm}; }
};

struct ClusterShape {
  std::uint32_t nodes = 0;
  // Of the reference node, which all nodes are equal to unless `kinds` says otherwise.
  std::uint32_t cores_per_node = 4;
  Memory node_memory{8'000'000'000};
  std::vector<NodeKind> kinds = {};  // empty: equal nodes of speed 1
  std::size_t reference = 0;         // in `kinds`

  // Of the reference node.
  [[nodiscard]] Cpu capacity() const {
    return kinds.empty() ? cores(cores_per_node) : kinds[reference].capacity();
  }
  [[nodiscard]] Cpu total_capacity() const;
  [[nodiscard]] Memory total_memory() const;
  // Numbered in the order of the kinds, and named after them: "fat0", "fat1"; "fat" if there is only one.
  [[nodiscard]] std::vector<Node> make_nodes() const;
  // The models that the devices of make_nodes() and the demands of a workload index.
  [[nodiscard]] std::vector<std::string> device_models() const;
  // Whether the empty cluster could hold all tasks at once on nodes of one hypervisor kind: by memory,
  // which is rigid, not by CPU.
  [[nodiscard]] bool holds(const Demand& demand) const;
};

}  // namespace aliquot
