#include "policies/packing/exact/list_packing.hpp"

#include <algorithm>

namespace aliquot {

namespace {

// Orders are no verdicts: floating-point numbers do.
double key_of(ListOrder order, double cpu, double memory) {
  const double large = std::max(cpu, memory);
  const double small = std::min(cpu, memory);
  switch (order) {
    case ListOrder::largest:
      return large;
    case ListOrder::difference:
      return large - small;
    case ListOrder::ratio:
      return large / (small + 1e-9);
    case ListOrder::sum:
      return large + small;
  }
  return 0;
}

struct Listed {
  double key;
  double other;
  std::uint32_t shape;
};
using List = std::vector<Listed>;

class Filler {
 public:
  Filler(std::span<const TaskSize> sizes, std::span<const std::int64_t> demand,
         std::span<const NodeRoom> kinds, std::span<const std::int64_t> nodes, ListOrder order)
      : sizes_(sizes), kinds_(kinds) {
    packed_.left.assign(demand.begin(), demand.end());
    double all_cpu = 1;
    double all_memory = 1;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      all_cpu += static_cast<double>(kinds[k].cpu.raw) * static_cast<double>(nodes[k]);
      all_memory += static_cast<double>(kinds[k].memory.raw) * static_cast<double>(nodes[k]);
    }
    for (std::uint32_t s = 0; s < sizes.size(); ++s) {
      if (demand[s] <= 0) continue;
      left_ += demand[s];
      const double cpu = static_cast<double>(sizes[s].cpu.raw) / all_cpu;
      const double memory = static_cast<double>(sizes[s].memory.raw) / all_memory;
      lists_[cpu > memory ? 0 : 1].push_back({key_of(order, cpu, memory), std::min(cpu, memory), s});
    }
    for (List& list : lists_) {
      std::sort(list.begin(), list.end(), [](const Listed& a, const Listed& b) {
        if (a.key != b.key) return a.key > b.key;
        return a.other != b.other ? a.other > b.other : a.shape < b.shape;
      });
    }
  }

  // `all_or_nothing`: where it is seen that not all find room, the rest is not tried.
  ListPacking pack(std::span<const std::int64_t> nodes, bool all_or_nothing) {
    Spare spare = all_or_nothing ? spare_of(nodes) : Spare{};
    for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
      for (std::int64_t empty = nodes[k]; empty > 0 && left_ > 0;) {
        Pattern pattern = fill(kinds_[k]);
        if (pattern.empty()) break;
        const std::int64_t times = repeats(pattern, empty);
        if (all_or_nothing && !spend(spare, pattern, kinds_[k], times)) return std::move(packed_);
        for (const ShapeUnits& part : pattern) {
          packed_.left[part.shape] -= part.units * times;
          left_ -= part.units * times;
        }
        empty -= times;
        packed_.filled.push_back({k, times, std::move(pattern)});
      }
    }
    packed_.complete = left_ == 0;
    return std::move(packed_);
  }

 private:
  // What all nodes together have more than is asked for.
  struct Spare {
    Int128 cpu = 0;
    Int128 memory = 0;
  };
  [[nodiscard]] Spare spare_of(std::span<const std::int64_t> nodes) const {
    Spare spare;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      spare.cpu += static_cast<Int128>(kinds_[k].cpu.raw) * nodes[k];
      spare.memory += static_cast<Int128>(kinds_[k].memory.raw) * nodes[k];
    }
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      spare.cpu -= static_cast<Int128>(sizes_[s].cpu.raw) * packed_.left[s];
      spare.memory -= static_cast<Int128>(sizes_[s].memory.raw) * packed_.left[s];
    }
    return spare;
  }
  // False: these nodes leave so much unused that the others cannot hold the rest.
  [[nodiscard]] bool spend(Spare& spare, const Pattern& pattern, const NodeRoom& kind,
                           std::int64_t times) const {
    Cpu cpu = kind.cpu;
    Memory memory = kind.memory;
    for (const ShapeUnits& part : pattern) {
      cpu -= sizes_[part.shape].cpu * part.units;
      memory -= sizes_[part.shape].memory * part.units;
    }
    spare.cpu -= static_cast<Int128>(cpu.raw) * times;
    spare.memory -= static_cast<Int128>(memory.raw) * times;
    return spare.cpu >= 0 && spare.memory >= 0;
  }

  Pattern fill(const NodeRoom& kind) {
    Pattern pattern;
    std::array<std::size_t, 2> at = {0, 0};
    Cpu cpu = kind.cpu;
    Memory memory = kind.memory;
    for (;;) {
      const bool more_memory =
          static_cast<Int128>(memory.raw) * kind.cpu.raw > static_cast<Int128>(cpu.raw) * kind.memory.raw;
      const std::size_t first = more_memory ? 1 : 0;
      bool took = false;
      for (const std::size_t which : {first, 1 - first}) {
        const List& list = lists_[which];
        std::size_t& here = at[which];
        while (here < list.size() && !fits(list[here].shape, pattern, cpu, memory)) ++here;
        if (here == list.size()) continue;
        const std::uint32_t shape = list[here].shape;
        cpu -= sizes_[shape].cpu;
        memory -= sizes_[shape].memory;
        add(pattern, shape);
        took = true;
        break;
      }
      if (!took) break;
    }
    std::sort(pattern.begin(), pattern.end(),
              [](const ShapeUnits& a, const ShapeUnits& b) { return a.shape < b.shape; });
    return pattern;
  }

  [[nodiscard]] static std::int64_t units_in(const Pattern& pattern, std::uint32_t shape) {
    for (const ShapeUnits& part : pattern) {
      if (part.shape == shape) return part.units;
    }
    return 0;
  }
  static void add(Pattern& pattern, std::uint32_t shape) {
    for (ShapeUnits& part : pattern) {
      if (part.shape != shape) continue;
      ++part.units;
      return;
    }
    pattern.push_back({shape, 1});
  }
  [[nodiscard]] bool fits(std::uint32_t shape, const Pattern& pattern, Cpu cpu, Memory memory) const {
    const TaskSize& size = sizes_[shape];
    return size.cpu <= cpu && size.memory <= memory && packed_.left[shape] > units_in(pattern, shape);
  }
  [[nodiscard]] std::int64_t repeats(const Pattern& pattern, std::int64_t most) const {
    for (const ShapeUnits& part : pattern) most = std::min(most, packed_.left[part.shape] / part.units);
    return most;
  }

  std::span<const TaskSize> sizes_;
  std::span<const NodeRoom> kinds_;
  std::array<List, 2> lists_;
  ListPacking packed_;
  std::int64_t left_ = 0;
};

}  // namespace

ListPacking pack_in_order(std::span<const TaskSize> sizes, std::span<const std::int64_t> demand,
                          std::span<const NodeRoom> kinds, std::span<const std::int64_t> nodes,
                          ListOrder order) {
  return Filler(sizes, demand, kinds, nodes, order).pack(nodes, false);
}

std::optional<PatternPacking> pack_all_in_order(std::span<const TaskSize> sizes,
                                                std::span<const std::int64_t> demand,
                                                std::span<const NodeRoom> kinds,
                                                std::span<const std::int64_t> nodes, ListOrder order) {
  ListPacking packed = Filler(sizes, demand, kinds, nodes, order).pack(nodes, true);
  if (!packed.complete) return std::nullopt;
  return std::move(packed.filled);
}

}  // namespace aliquot
