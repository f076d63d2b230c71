// The vocabulary of the exact packing: task shapes, kinds of nodes, patterns.
//
// Tasks of equal size are one shape, equal nodes one kind. A pattern is a set of tasks that one node of a
// kind can hold: so many units of each shape. A packing says how many nodes of each kind are filled by
// which pattern; nodes that it does not name stay empty.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "policies/model/units.hpp"

namespace aliquot {

// The largest numbers for which the exact packing is asked; beyond, its bound is that of the volume and
// nothing is packed.
inline constexpr std::size_t kMostExactShapes = 320;
inline constexpr std::size_t kMostExactKinds = 12;

// What one task of a shape takes of a node.
struct TaskSize {
  Cpu cpu;
  Memory memory;
};

// What one node of a kind has to give.
struct NodeSize {
  Cpu cpu;
  Memory memory;
};

// Tasks to be packed, by shape, and the nodes that there are for them, by kind.
struct PackingProblem {
  std::span<const TaskSize> sizes;
  std::span<const std::int64_t> demand;
  std::span<const NodeSize> kinds;
  std::span<const std::int64_t> nodes;
};

// How much more all nodes together have than all tasks take. Negative in some resource: there is no
// packing.
struct Slack {
  Int128 cpu = 0;
  Int128 memory = 0;
  [[nodiscard]] bool negative() const { return cpu < 0 || memory < 0; }
};
[[nodiscard]] inline Slack slack_of(const PackingProblem& problem) {
  Slack slack;
  for (std::size_t k = 0; k < problem.kinds.size(); ++k) {
    slack.cpu += static_cast<Int128>(problem.kinds[k].cpu.raw) * problem.nodes[k];
    slack.memory += static_cast<Int128>(problem.kinds[k].memory.raw) * problem.nodes[k];
  }
  for (std::size_t s = 0; s < problem.sizes.size(); ++s) {
    slack.cpu -= static_cast<Int128>(problem.sizes[s].cpu.raw) * problem.demand[s];
    slack.memory -= static_cast<Int128>(problem.sizes[s].memory.raw) * problem.demand[s];
  }
  return slack;
}

// `units` tasks of one shape, on one node.
struct ShapeUnits {
  std::uint32_t shape = 0;
  std::uint32_t units = 0;
  friend auto operator<=>(const ShapeUnits&, const ShapeUnits&) = default;
};

// By increasing shape, positive units.
using Pattern = std::vector<ShapeUnits>;

[[nodiscard]] inline Pattern pattern_of(std::span<const std::int64_t> units_by_shape) {
  Pattern pattern;
  for (std::uint32_t s = 0; s < units_by_shape.size(); ++s) {
    if (units_by_shape[s] > 0) pattern.push_back({s, static_cast<std::uint32_t>(units_by_shape[s])});
  }
  return pattern;
}

// `nodes` nodes of a kind, each filled by the same pattern.
struct PatternUse {
  std::uint32_t kind = 0;
  std::int64_t nodes = 0;
  Pattern pattern;
};
using PatternPacking = std::vector<PatternUse>;

[[nodiscard]] inline bool holds(const Pattern& pattern, std::uint32_t shape) {
  return std::any_of(pattern.begin(), pattern.end(),
                     [=](const ShapeUnits& part) { return part.shape == shape; });
}

[[nodiscard]] inline bool fits(const Pattern& pattern, std::span<const TaskSize> sizes, NodeSize node) {
  for (const ShapeUnits& part : pattern) {
    node.cpu -= sizes[part.shape].cpu * part.units;
    node.memory -= sizes[part.shape].memory * part.units;
  }
  return node.cpu.raw >= 0 && node.memory.raw >= 0;
}

// How many tasks of this size one node holds, at most `most`.
[[nodiscard]] inline std::int64_t units_in(const NodeSize& node, const TaskSize& size, std::int64_t most) {
  if (size.cpu > node.cpu || size.memory > node.memory) return 0;
  if (most <= 1 || size.cpu * 2 > node.cpu || size.memory * 2 > node.memory)
    return std::min<std::int64_t>(most, 1);
  if (size.cpu.raw > 0) most = std::min(most, node.cpu.raw / size.cpu.raw);
  if (size.memory.raw > 0) most = std::min(most, node.memory.raw / size.memory.raw);
  return most;
}

}  // namespace aliquot
