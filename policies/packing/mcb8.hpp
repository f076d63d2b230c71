// MCB8: bi-dimensional vector packing that keeps CPU and memory of each node in balance (DFRS, III-B, after
// Leinberger et al.). Pure arithmetic: it knows neither jobs nor yields; the CPU amounts are fixed here.
//
// Tasks that ask for more CPU than memory, in proportion to the whole cluster, stand in one list, the
// others in a second, both in non-increasing order of (larger amount, smaller amount). A node takes the
// first task that fits from the list against its imbalance: the memory list if it has more memory than CPU
// left, in percent, else the CPU list. If no task of that list fits, it takes from the other list; if none
// of either fits, the next node is filled.
//
// Equal tasks are one class with a count, equal neighbouring bins one run, and the pattern of a whole bin
// is repeated as often as it fits: the cost depends on the number of different patterns, not of nodes. The
// packing ends as soon as full bins have left more unused than all tasks together leave free. The reference
// implementation in tools/bench works task by task; the result must be equal, bin by bin.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "policies/model/units.hpp"

namespace aliquot {

// `count` equal neighbouring bins. Tasks that are there already make `free` smaller than the whole.
struct BinRun {
  Cpu capacity;
  Memory memory;
  Cpu free_cpu;
  Memory free_memory;
  std::uint32_t count = 1;
};

// Equal tasks, in one of the two lists; without tasks left it keeps its place and never fits.
struct ListedClass {
  Cpu cpu;
  Memory memory;
  std::int64_t count = 0;  // tasks that are left
  std::uint32_t task_class = 0;
};
using ClassList = std::pmr::vector<ListedClass>;

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
  explicit Packing(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : fills(memory), runs(memory) {}
  std::pmr::vector<Fill> fills;
  std::pmr::vector<FillRun> runs;  // together they may cover fewer bins than there are: the rest is empty
};

// All bins together, and what they have free.
struct Volume {
  Int128 cpu = 0;
  Int128 memory = 0;
};
struct BinVolume {
  Volume whole;
  Volume free;
  bool overdrawn = false;  // some bin has a negative amount free: nothing can be packed
};
[[nodiscard]] BinVolume volume_of(std::span<const BinRun> bins);

// Does a class stand in the CPU list?
[[nodiscard]] constexpr bool more_cpu_than_memory(std::int64_t cpu, std::int64_t memory,
                                                  const Volume& whole) {
  return cpu * whole.memory > memory * whole.cpu;
}

// A workspace whose buffers serve one packing after the other.
class Mcb8 {
 public:
  explicit Mcb8(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : cpu_(memory), memory_(memory), taken_(memory) {}

  // Each pack consumes the lists: they are filled anew before it, in the order of MCB8 or in any other.
  ClassList& cpu_list() { return cpu_; }
  ClassList& memory_list() { return memory_; }

  // `spare`: what is free in the bins beyond the volume of all tasks; neither part is negative.
  // False: MCB8 does not find room for all `tasks`; `out` then ends where that was seen.
  [[nodiscard]] bool pack(std::span<const BinRun> bins, Volume spare, std::int64_t tasks, Packing& out);

 private:
  struct Taken {
    ListedClass* from;
    std::int64_t units;
  };
  class Filler;

  // How many further bins would be filled just so.
  [[nodiscard]] std::int64_t repeats(std::int64_t at_most) const;
  // Records the pattern and takes its repetitions from the lists. Returns how many tasks are placed.
  std::int64_t record_pattern(std::int64_t times, Packing& out);

  ClassList cpu_;
  ClassList memory_;
  std::pmr::vector<Taken> taken_;
};

}  // namespace aliquot
