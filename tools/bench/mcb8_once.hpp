// MCB8 in one call, and the paper's search for the highest level around it: for tests and benchmarks. The
// policies pack many levels one after the other (policies/dfrs/level_packer).
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "policies/packing/mcb8.hpp"
#include "policies/packing/search.hpp"

namespace aliquot {

struct TaskClass {
  Cpu cpu;
  Memory memory;
  std::int64_t count = 0;
};

// The classes must differ from each other in (cpu, memory). None: no room for all.
inline std::optional<Packing> mcb8(const std::vector<TaskClass>& classes, const std::vector<BinRun>& bins) {
  const BinVolume volume = volume_of(bins);
  Volume spare = volume.free;
  std::int64_t tasks = 0;
  Mcb8 mcb8;
  for (std::uint32_t k = 0; k < classes.size(); ++k) {
    const TaskClass& c = classes[k];
    if (c.count == 0) continue;
    tasks += c.count;
    spare.cpu -= static_cast<Int128>(c.cpu.raw) * c.count;
    spare.memory -= static_cast<Int128>(c.memory.raw) * c.count;
    const bool by_cpu = more_cpu_than_memory(c.cpu.raw, c.memory.raw, volume.whole);
    (by_cpu ? mcb8.cpu_list() : mcb8.memory_list()).push_back({c.cpu, c.memory, c.count, k});
  }
  if (volume.overdrawn || spare.cpu < 0 || spare.memory < 0) return std::nullopt;
  std::ranges::sort(mcb8.cpu_list(), std::greater<>(),
                    [](const ListedClass& c) { return std::pair(c.cpu, c.memory); });
  std::ranges::sort(mcb8.memory_list(), std::greater<>(),
                    [](const ListedClass& c) { return std::pair(c.memory, c.cpu); });
  Packing packing;
  if (!mcb8.pack(bins, spare, tasks, packing)) return std::nullopt;
  return packing;
}

// Level 1 is tried exactly, then level 0 ("however small"): if that fails too, there is no level at all.
template <class TryLevel>
std::optional<Yield> highest_level(TryLevel&& try_level) {
  if (try_level(kFullYield)) return kFullYield;
  if (!try_level(Yield{0})) return std::nullopt;
  return bisect_level(try_level);
}

}  // namespace aliquot
