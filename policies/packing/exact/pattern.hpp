// What fits one node: the words that the exact packing is written in.
//
// A pattern is a set of tasks that one node of a kind can hold at a certain level, by shape. A packing in
// patterns says how many nodes of each kind are filled by which pattern; nodes it does not name are empty.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/model/units.hpp"

namespace aliquot {

// What one task of a shape takes of a node at some level.
struct TaskSize {
  Cpu cpu;
  Memory memory;
};

// `count` nodes alike, as far as they are free.
struct NodeRoom {
  Cpu cpu;
  Memory memory;
  std::int64_t count = 0;
};

// `units` tasks of one shape, on one node.
struct ShapeUnits {
  std::uint32_t shape = 0;
  std::uint32_t units = 0;
  friend bool operator==(const ShapeUnits&, const ShapeUnits&) = default;
};

// By increasing shape, positive units.
using Pattern = std::vector<ShapeUnits>;

struct FilledKind {
  std::uint32_t kind = 0;
  std::int64_t nodes = 0;
  Pattern pattern;
};
using PatternPacking = std::vector<FilledKind>;

// Different for most rests that are different: of a rest that was tried it says so again.
[[nodiscard]] inline std::uint64_t mark_of(std::span<const std::int64_t> left) {
  std::uint64_t mark = 0;
  for (const std::int64_t count : left) {
    mark = (mark ^ static_cast<std::uint64_t>(count)) * 0x9e3779b97f4a7c15;
    mark ^= mark >> 29;
  }
  return mark;
}

}  // namespace aliquot
