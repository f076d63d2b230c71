// The reference implementation of packing/mcb8: task by task, bin by bin, as the paper tells it (DFRS,
// III-B). Slow and plain on purpose: mcb8 must put every task into the same bin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "policies/packing/mcb8.hpp"

namespace aliquot::reference {

struct ReferenceTask {
  std::uint64_t job = 0;
  Cpu cpu;
  Memory memory;
};

// The jobs of the tasks in each bin, one entry per task.
using ReferenceBins = std::vector<std::vector<std::uint64_t>>;

inline std::vector<BinRun> one_by_one(const std::vector<BinRun>& runs) {
  std::vector<BinRun> bins;
  for (BinRun run : runs) {
    const std::uint32_t count = run.count;
    run.count = 1;
    bins.insert(bins.end(), count, run);
  }
  return bins;
}

inline std::optional<ReferenceBins> reference_mcb8(const std::vector<ReferenceTask>& tasks,
                                                   const std::vector<BinRun>& runs) {
  std::vector<BinRun> bins = one_by_one(runs);
  Int128 all_cpu = 0;
  Int128 all_memory = 0;
  for (const BinRun& bin : bins) {
    if (bin.free_cpu.raw < 0 || bin.free_memory.raw < 0) return std::nullopt;
    all_cpu += bin.capacity.raw;
    all_memory += bin.memory.raw;
  }
  struct Entry {
    Int128 larger;
    Int128 smaller;
    ReferenceTask task;
  };
  std::vector<Entry> lists[2];  // 0: more CPU, 1: more memory
  for (const ReferenceTask& task : tasks) {
    const Int128 cpu = task.cpu.raw * all_memory;
    const Int128 memory = task.memory.raw * all_cpu;
    lists[cpu > memory ? 0 : 1].push_back({std::max(cpu, memory), std::min(cpu, memory), task});
  }
  for (auto& list : lists) {
    std::sort(list.begin(), list.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.larger, a.smaller, a.task.job) > std::tie(b.larger, b.smaller, b.task.job);
    });
  }
  ReferenceBins placed(bins.size());
  for (std::size_t b = 0; b < bins.size(); ++b) {
    BinRun& bin = bins[b];
    for (bool found = true; found;) {
      found = false;
      const bool more_memory_left = static_cast<Int128>(bin.free_memory.raw) * bin.capacity.raw >
                                    static_cast<Int128>(bin.free_cpu.raw) * bin.memory.raw;
      for (const int which : {more_memory_left ? 1 : 0, more_memory_left ? 0 : 1}) {
        auto& list = lists[which];
        const auto fit = std::find_if(list.begin(), list.end(), [&](const Entry& e) {
          return e.task.cpu <= bin.free_cpu && e.task.memory <= bin.free_memory;
        });
        if (fit == list.end()) continue;
        bin.free_cpu -= fit->task.cpu;
        bin.free_memory -= fit->task.memory;
        placed[b].push_back(fit->task.job);
        list.erase(fit);
        found = true;
        break;
      }
    }
  }
  if (!lists[0].empty() || !lists[1].empty()) return std::nullopt;
  return placed;
}

}  // namespace aliquot::reference
