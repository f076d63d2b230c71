#include "policies/packing/mcb8.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

// The state of one bin while it is filled.
class Mcb8::Filler {
 public:
  Filler(Mcb8& mcb8, const BinRun& bin)
      : taken_(mcb8.taken_),
        cpu_{&mcb8.cpu_, mcb8.cpu_.head(), false},
        memory_{&mcb8.memory_, mcb8.memory_.head(), true},
        bin_(bin) {
    taken_.clear();
  }

  BinRun fill() {
    for (;;) {
      const bool memory_first = imbalance() > 0;
      Side& wanted = memory_first ? memory_ : cpu_;
      Side& other = memory_first ? cpu_ : memory_;
      if (advance(wanted)) {
        take(wanted, memory_first, other.at == other.list->size());
      } else if (advance(other)) {
        take(other, memory_first, true);  // the wanted list has nothing for this bin any more
      } else {
        return bin_;
      }
    }
  }

 private:
  struct Side {
    ClassList* list;
    std::size_t at;  // what did not fit once will not fit later: it never goes back
    bool by_memory;
  };

  // More memory than CPU left, in percent of the bin: positive.
  [[nodiscard]] Int128 imbalance() const {
    return static_cast<Int128>(bin_.free_memory.raw) * bin_.capacity.raw -
           static_cast<Int128>(bin_.free_cpu.raw) * bin_.memory.raw;
  }

  bool advance(Side& side) {
    const std::int64_t cpu = bin_.free_cpu.raw;
    const std::int64_t memory = bin_.free_memory.raw;
    side.at = side.list->first_fit(side.at, side.by_memory ? memory : cpu, side.by_memory ? cpu : memory);
    return side.at < side.list->size();
  }

  // The class stays the first that fits as long as it has tasks, fits, and its list is the wanted one (or
  // the only one that has anything).
  void take(const Side& side, bool memory_first, bool alone) {
    ClassList& list = *side.list;
    const SizedClass& next = list[side.at];
    const Cpu cpu{side.by_memory ? next.secondary : next.primary};
    const Memory memory{side.by_memory ? next.primary : next.secondary};
    std::int64_t units = 0;
    do {
      bin_.free_cpu -= cpu;
      bin_.free_memory -= memory;
      ++units;
    } while (units < next.count && cpu <= bin_.free_cpu && memory <= bin_.free_memory &&
             (alone || (imbalance() > 0) == memory_first));
    list.take(side.at, units);
    for (auto earlier = taken_.rbegin(); earlier != taken_.rend(); ++earlier) {
      if (earlier->list != &list) continue;
      if (earlier->at != side.at) break;
      earlier->units += units;
      return;
    }
    taken_.push_back({&list, side.at, units});
  }

  std::pmr::vector<Taken>& taken_;
  Side cpu_;
  Side memory_;
  BinRun bin_;
};

// As long as every class that the pattern takes from can give as much again. (A class that runs out with
// the last of them was not asked again.)
std::int64_t Mcb8::repeats(std::int64_t at_most) const {
  for (const Taken& taken : taken_) {
    const std::int64_t left = (*taken.list)[taken.at].count;
    if (left < taken.units * at_most) at_most = left / taken.units;
  }
  return at_most;
}

std::int64_t Mcb8::record_pattern(std::int64_t times, Packing& out) {
  std::int64_t placed = 0;
  for (const Taken& taken : taken_) {
    out.fills.push_back({(*taken.list)[taken.at].task_class, static_cast<std::uint32_t>(taken.units)});
    if (times > 0) taken.list->take(taken.at, taken.units * times);
    placed += taken.units * (times + 1);
  }
  return placed;
}

bool Mcb8::pack(std::span<const BinRun> bins, Volume spare, std::int64_t tasks, Packing& out) {
  out.fills.clear();
  out.runs.clear();
  for (const BinRun& run : bins) {
    for (std::int64_t left = run.count; left > 0 && tasks > 0;) {
      const BinRun full = Filler(*this, run).fill();
      const std::int64_t times = repeats(left - 1);
      const auto first = static_cast<std::uint32_t>(out.fills.size());
      tasks -= record_pattern(times, out);
      const auto last = static_cast<std::uint32_t>(out.fills.size());
      out.runs.push_back({static_cast<std::uint32_t>(times + 1), first, last});
      left -= times + 1;
      spare.cpu -= static_cast<Int128>(full.free_cpu.raw) * (times + 1);
      spare.memory -= static_cast<Int128>(full.free_memory.raw) * (times + 1);
      if (tasks > 0 && (spare.cpu < 0 || spare.memory < 0)) return false;
    }
  }
  return tasks == 0;
}

BinVolume volume_of(std::span<const BinRun> bins) {
  BinVolume volume;
  for (const BinRun& bin : bins) {
    if (bin.free_cpu.raw < 0 || bin.free_memory.raw < 0) volume.overdrawn = true;
    volume.whole.cpu += static_cast<Int128>(bin.capacity.raw) * bin.count;
    volume.whole.memory += static_cast<Int128>(bin.memory.raw) * bin.count;
    volume.free.cpu += static_cast<Int128>(bin.free_cpu.raw) * bin.count;
    volume.free.memory += static_cast<Int128>(bin.free_memory.raw) * bin.count;
  }
  return volume;
}

}  // namespace aliquot
