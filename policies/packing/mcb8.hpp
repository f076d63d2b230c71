// MCB8: bi-dimensional vector packing that keeps each node's CPU and memory in balance (DFRS, III-B, after
// Leinberger et al.). Pure arithmetic: it knows neither jobs nor yields; the CPU amounts are fixed here.
//
// Tasks that ask for more CPU than memory (relative to the cluster's totals) stand in one list, the others
// in a second; both in non-increasing order of (larger amount, smaller amount). A node takes the first
// task that fits from the list that goes against its imbalance (more memory than CPU left, in percent:
// the memory list; else the CPU list), failing that from the other; when neither fits, the next node.
//
// Equal tasks are one class with a count, equal neighbouring bins one run, and a whole bin's pattern is
// repeated as often as it fits: the cost depends on the number of different patterns, not of nodes.
// test/unit/policies keeps the task-by-task twin that this must equal, bin by bin.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/model/units.hpp"

namespace aliquot {

// `count` neighbouring bins alike. What is already taken makes `free` smaller than the whole.
struct BinRun {
  Cpu capacity;
  Memory memory;
  Cpu free_cpu;
  Memory free_memory;
  std::uint32_t count = 1;
};

struct TaskClass {
  Cpu cpu;
  Memory memory;
  std::int64_t count = 0;
};

struct Fill {
  std::uint32_t task_class = 0;
  std::uint32_t units = 0;
};

// The next `bins` bins each hold fills[first, last).
struct FillRun {
  std::uint32_t bins = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

struct Packing {
  std::vector<Fill> fills;
  std::vector<FillRun> runs;  // together they may cover fewer bins than there are: the rest is empty
};

// The classes must differ from each other in (cpu, memory). None: MCB8 does not find room for all tasks.
[[nodiscard]] std::optional<Packing> mcb8(const std::vector<TaskClass>& classes,
                                          const std::vector<BinRun>& bins);

}  // namespace aliquot
