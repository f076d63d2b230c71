#include "policies/dfrs/exact_pack.hpp"

#include <algorithm>
#include <utility>

#include "policies/packing/exact/best_yield.hpp"

namespace aliquot {

namespace {

class ExactPack {
 public:
  ExactPack(const Draft& draft, const TaskShapes& shapes, Bins& bins, LevelPacker& packer)
      : draft_(draft), all_(shapes), packer_(packer), runs_(bins.at(shapes.objective(), kFullYield)) {}

  void improve() {
    if (!gather_shapes() || !gather_kinds()) return;
    const Yield known = known_yield();
    if (known == kFullYield || fixed_guarantees_above(known)) return;
    const BestYield best = best_yield(shapes_, kinds_, known);
    if (best.packing && best.packed > known)
      packer_.adopt(in_bins(*best.packing), place_of_, shapes_.size());
  }

 private:
  // By shape of `all_`: its place among those that have tasks.
  [[nodiscard]] bool gather_shapes() {
    place_of_.assign(all_.size(), 0);
    for (std::uint32_t s = 0; s < all_.size(); ++s) {
      const TaskShape& shape = all_[s];
      if (shape.tasks == 0) continue;
      if (shapes_.size() == kMostExactShapes) return false;
      place_of_[s] = static_cast<std::uint32_t>(shapes_.size());
      shapes_.push_back({shape.need, shape.memory, shape.min_yield, shape.tasks});
    }
    return !shapes_.empty();
  }

  // At yield 1 the CPU that is not free is what the fixed jobs need.
  [[nodiscard]] bool gather_kinds() {
    for (const BinRun& run : runs_) {
      const YieldNodes nodes{run.capacity, run.free_memory, run.capacity - run.free_cpu, run.count};
      const auto same = std::find_if(kinds_.begin(), kinds_.end(), [&](const YieldNodes& kind) {
        return kind.capacity == nodes.capacity && kind.memory == nodes.memory && kind.taken == nodes.taken;
      });
      kind_of_run_.push_back(static_cast<std::uint32_t>(same - kinds_.begin()));
      if (same != kinds_.end()) {
        same->count += nodes.count;
      } else {
        if (kinds_.size() == kMostExactKinds) return false;
        kinds_.push_back(nodes);
      }
    }
    return true;
  }

  // A fixed job of a higher guarantee takes more of its node than the others' yield tells.
  [[nodiscard]] bool fixed_guarantees_above(Yield yield) const {
    for (const std::uint32_t i : draft_.placed_entries()) {
      if (draft_.job(i).demand.min_yield > yield) return true;
    }
    return false;
  }

  // The yield of MCB8's packing. Among shapes that it took for one class, the largest need represents all.
  [[nodiscard]] Yield known_yield() const {
    std::vector<std::uint32_t> representative(packer_.classes(), UINT32_MAX);
    for (std::uint32_t s = 0; s < all_.size(); ++s) {
      if (all_[s].tasks == 0) continue;
      std::uint32_t& known = representative[packer_.class_of(s)];
      if (known == UINT32_MAX || shapes_[place_of_[s]].need > shapes_[known].need) known = place_of_[s];
    }
    PatternPacking uses;
    std::size_t run = 0;
    std::uint32_t bins = 0;
    for (const FillRun& filled : packer_.packing().runs) {
      PatternUse& use = uses.emplace_back(PatternUse{kind_of_run_[run], filled.bins, {}});
      for (std::uint32_t f = filled.first; f < filled.last; ++f) {
        const Fill& fill = packer_.packing().fills[f];
        use.pattern.push_back({representative[fill.task_class], fill.units});
      }
      bins += filled.bins;
      if (bins < runs_[run].count) continue;
      bins = 0;
      ++run;
    }
    return common_yield(shapes_, kinds_, uses);
  }

  // Each kind's patterns on the bins of that kind, in the order of both.
  [[nodiscard]] Packing in_bins(const PatternPacking& packing) const {
    Packing made(draft_.memory());
    std::vector<std::vector<std::pair<const Pattern*, std::int64_t>>> of_kind(kinds_.size());
    for (auto filled = packing.rbegin(); filled != packing.rend(); ++filled) {
      of_kind[filled->kind].emplace_back(&filled->pattern, filled->nodes);
    }
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      auto& patterns = of_kind[kind_of_run_[run]];
      for (std::int64_t empty = runs_[run].count; empty > 0;) {
        const auto first = static_cast<std::uint32_t>(made.fills.size());
        std::int64_t nodes = empty;
        if (!patterns.empty()) {
          auto& [pattern, left] = patterns.back();
          nodes = std::min(empty, left);
          for (const ShapeUnits& part : *pattern) made.fills.push_back({part.shape, part.units});
          left -= nodes;
          if (left == 0) patterns.pop_back();
        }
        const auto last = static_cast<std::uint32_t>(made.fills.size());
        made.runs.push_back({static_cast<std::uint32_t>(nodes), first, last});
        empty -= nodes;
      }
    }
    return made;
  }

  const Draft& draft_;
  const TaskShapes& all_;
  LevelPacker& packer_;
  const std::pmr::vector<BinRun>& runs_;
  std::vector<std::uint32_t> place_of_;
  std::vector<YieldShape> shapes_;
  std::vector<YieldNodes> kinds_;
  std::vector<std::uint32_t> kind_of_run_;
};

}  // namespace

void pack_exactly(const Draft& draft, const TaskShapes& shapes, Bins& bins, LevelPacker& packer) {
  ExactPack(draft, shapes, bins, packer).improve();
}

}  // namespace aliquot
