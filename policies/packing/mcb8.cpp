#include "policies/packing/mcb8.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

// The state of one bin while it is filled.
class Mcb8::Filler {
 public:
  Filler(Mcb8& mcb8, const BinRun& bin)
      : taken_(mcb8.taken_), cpu_{mcb8.cpu_}, memory_{mcb8.memory_}, bin_(bin) {
    taken_.clear();
  }

  BinRun fill() {
    for (;;) {
      const bool memory_first = imbalance() > 0;
      Side& wanted = memory_first ? memory_ : cpu_;
      Side& other = memory_first ? cpu_ : memory_;
      if (advance(wanted)) {
        take(wanted.list[wanted.at], memory_first, other.at == other.list.size());
      } else if (advance(other)) {
        take(other.list[other.at], memory_first,
             true);  // the wanted list has nothing for this bin any more
      } else {
        return bin_;
      }
    }
  }

 private:
  struct Side {
    ClassList& list;
    std::size_t at = 0;  // what did not fit once will not fit later: it never goes back
  };

  // More memory than CPU left, in percent of the bin: positive.
  [[nodiscard]] Int128 imbalance() const {
    return static_cast<Int128>(bin_.free_memory.raw) * bin_.capacity.raw -
           static_cast<Int128>(bin_.free_cpu.raw) * bin_.memory.raw;
  }

  [[nodiscard]] bool fits(const ListedClass& next) const {
    return next.cpu <= bin_.free_cpu && next.memory <= bin_.free_memory;
  }
  bool advance(Side& side) const {
    while (side.at < side.list.size() && (side.list[side.at].count == 0 || !fits(side.list[side.at])))
      ++side.at;
    return side.at < side.list.size();
  }

  // The class stays the first that fits as long as it has tasks, fits, and its list is the wanted one (or
  // the only one that has anything).
  void take(ListedClass& next, bool memory_first, bool alone) {
    std::int64_t units = 0;
    do {
      bin_.free_cpu -= next.cpu;
      bin_.free_memory -= next.memory;
      ++units;
    } while (units < next.count && fits(next) && (alone || (imbalance() > 0) == memory_first));
    next.count -= units;
    const auto earlier = std::ranges::find(taken_, &next, &Taken::from);
    if (earlier == taken_.end())
      taken_.push_back({&next, units});
    else
      earlier->units += units;
  }

  std::pmr::vector<Taken>& taken_;
  Side cpu_;
  Side memory_;
  BinRun bin_;
};

// As long as every class that the pattern takes from can give as much again. (A class that runs out with
// the last of them was not asked again.)
std::int64_t Mcb8::repeats(std::int64_t at_most) const {
  for (const Taken& taken : taken_)
    if (taken.from->count < taken.units * at_most) at_most = taken.from->count / taken.units;
  return at_most;
}

std::int64_t Mcb8::record_pattern(std::int64_t times, Packing& out) {
  std::int64_t placed = 0;
  for (const Taken& taken : taken_) {
    out.fills.push_back({taken.from->task_class, static_cast<std::uint32_t>(taken.units)});
    taken.from->count -= taken.units * times;
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
      if (first == last) break;  // nothing fits these bins
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
