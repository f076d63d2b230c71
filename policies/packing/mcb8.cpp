#include "policies/packing/mcb8.hpp"

#include <algorithm>

namespace aliquot {

namespace {

struct Queued {
  Int128 larger;  // in units of the cluster's total CPU x total memory
  Int128 smaller;
  Cpu cpu;
  Memory memory;
  std::int64_t left;
  std::uint32_t task_class;
  std::uint32_t taken = 0;  // by the bin that is being filled
};

using List = std::vector<Queued>;

struct Lists {
  List cpu;
  List memory;
};

struct Volume {
  Int128 cpu = 0;
  Int128 memory = 0;
};

Lists sorted_lists(const std::vector<TaskClass>& classes, Volume whole) {
  Lists lists;
  for (std::uint32_t k = 0; k < classes.size(); ++k) {
    const TaskClass& c = classes[k];
    if (c.count == 0) continue;
    const Int128 cpu = c.cpu.raw * whole.memory;
    const Int128 memory = c.memory.raw * whole.cpu;
    List& list = cpu > memory ? lists.cpu : lists.memory;
    list.push_back({std::max(cpu, memory), std::min(cpu, memory), c.cpu, c.memory, c.count, k});
  }
  const auto before = [](const Queued& a, const Queued& b) {
    return a.larger != b.larger ? a.larger > b.larger : a.smaller > b.smaller;
  };
  std::sort(lists.cpu.begin(), lists.cpu.end(), before);
  std::sort(lists.memory.begin(), lists.memory.end(), before);
  return lists;
}

// The first task at or after the cursor that fits. What did not fit this bin once will not fit it later:
// the cursor never goes back.
Queued* first_that_fits(List& list, std::size_t& cursor, const BinRun& bin) {
  for (; cursor < list.size(); ++cursor) {
    Queued& q = list[cursor];
    if (q.left > 0 && q.cpu <= bin.free_cpu && q.memory <= bin.free_memory) return &q;
  }
  return nullptr;
}

void fill_one(Lists& lists, BinRun bin) {
  std::size_t cpu_cursor = 0;
  std::size_t memory_cursor = 0;
  for (;;) {
    const bool memory_first = static_cast<Int128>(bin.free_memory.raw) * bin.capacity.raw >
                              static_cast<Int128>(bin.free_cpu.raw) * bin.memory.raw;
    Queued* q = memory_first ? first_that_fits(lists.memory, memory_cursor, bin)
                             : first_that_fits(lists.cpu, cpu_cursor, bin);
    if (!q) {
      q = memory_first ? first_that_fits(lists.cpu, cpu_cursor, bin)
                       : first_that_fits(lists.memory, memory_cursor, bin);
    }
    if (!q) return;
    bin.free_cpu -= q->cpu;
    bin.free_memory -= q->memory;
    --q->left;
    ++q->taken;
  }
}

// How many further bins of the same kind would be filled just so: as long as every class that the pattern
// takes from can give as much again. (A class that runs out with the last of them was not asked again.)
std::int64_t repeats(const List& list, std::int64_t at_most) {
  for (const Queued& q : list) {
    if (q.taken > 0) at_most = std::min(at_most, q.left / q.taken);
  }
  return at_most;
}

// Writes down the pattern, takes its repetitions from the list and forgets what has run out.
std::int64_t settle(List& list, std::int64_t times, std::vector<Fill>& fills) {
  std::int64_t placed = 0;
  for (Queued& q : list) {
    if (q.taken == 0) continue;
    fills.push_back({q.task_class, q.taken});
    q.left -= q.taken * times;
    placed += q.taken * (times + 1);
    q.taken = 0;
  }
  std::erase_if(list, [](const Queued& q) { return q.left == 0; });
  return placed;
}

}  // namespace

std::optional<Packing> mcb8(const std::vector<TaskClass>& classes, const std::vector<BinRun>& bins) {
  Volume whole;
  Volume free;
  for (const BinRun& bin : bins) {
    if (bin.free_cpu.raw < 0 || bin.free_memory.raw < 0) return std::nullopt;
    whole.cpu += static_cast<Int128>(bin.capacity.raw) * bin.count;
    whole.memory += static_cast<Int128>(bin.memory.raw) * bin.count;
    free.cpu += static_cast<Int128>(bin.free_cpu.raw) * bin.count;
    free.memory += static_cast<Int128>(bin.free_memory.raw) * bin.count;
  }
  std::int64_t remaining = 0;
  for (const TaskClass& c : classes) {
    remaining += c.count;
    free.cpu -= static_cast<Int128>(c.cpu.raw) * c.count;
    free.memory -= static_cast<Int128>(c.memory.raw) * c.count;
  }
  if (free.cpu < 0 || free.memory < 0) return std::nullopt;  // no packing at all could do it

  Lists lists = sorted_lists(classes, whole);
  Packing packing;
  for (const BinRun& run : bins) {
    for (std::int64_t left = run.count; left > 0 && remaining > 0;) {
      fill_one(lists, run);
      const std::int64_t times = repeats(lists.memory, repeats(lists.cpu, left - 1));
      const auto first = static_cast<std::uint32_t>(packing.fills.size());
      remaining -= settle(lists.cpu, times, packing.fills);
      remaining -= settle(lists.memory, times, packing.fills);
      const auto last = static_cast<std::uint32_t>(packing.fills.size());
      packing.runs.push_back({static_cast<std::uint32_t>(times + 1), first, last});
      left -= times + 1;
    }
  }
  if (remaining > 0) return std::nullopt;
  return packing;
}

}  // namespace aliquot
