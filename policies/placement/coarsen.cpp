#include "policies/placement/coarsen.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

namespace aliquot::ip {
namespace {

struct Grain {
  std::uint32_t cpu = 1;
  std::uint32_t memory = 1;
  std::uint32_t parts = 1;
};

std::uint32_t rounded_up(std::uint32_t amount, std::uint32_t grain) {
  const std::uint32_t rest = amount % grain;
  if (rest == 0) return amount;
  const std::uint64_t up = std::uint64_t{amount} + (grain - rest);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(up, std::numeric_limits<std::uint32_t>::max()));
}

void round_cuts(Cell& cell, std::uint32_t grain, bool up) {
  if (grain == 1) return;
  for (std::uint16_t& cut : cell.cuts) {
    const std::uint32_t parts = cut_parts(cut);
    const std::uint32_t rounded = up ? rounded_up(parts, grain) : parts - parts % grain;
    cut = rounded == 0
              ? std::uint16_t{0}
              : make_cut(cut_model(cut),
                         static_cast<std::uint16_t>(std::min<std::uint32_t>(rounded, kWholeDevice)));
  }
  std::sort(cell.cuts.begin(), cell.cuts.end(), std::greater<>());
}

NodeCells with_grain(const NodeCells& cells, const Grain& grain, bool up) {
  NodeCells coarse = cells;
  for (auto& cell : coarse) {
    if (!cell) continue;
    cell->cpu = up ? rounded_up(cell->cpu, grain.cpu) : cell->cpu - cell->cpu % grain.cpu;
    cell->memory = up ? rounded_up(cell->memory, grain.memory) : cell->memory - cell->memory % grain.memory;
    round_cuts(*cell, grain.parts, up);
  }
  return coarse;
}

// How many different amounts there are.
template <class Amount>
std::size_t amounts(const NodeCells& cells, Amount Cell::*of) {
  std::set<Amount> seen;
  for (const auto& cell : cells)
    if (cell) seen.insert((*cell).*of);
  return seen.size();
}

// Looks no further than it has to.
bool has_more_classes(const NodeCells& cells, std::size_t most) {
  std::vector<Cell> seen;
  for (const auto& cell : cells) {
    if (!cell || std::find(seen.rbegin(), seen.rend(), *cell) != seen.rend()) continue;
    if (seen.size() == most) return true;
    seen.push_back(*cell);
  }
  return false;
}

}  // namespace

std::vector<NodeClass> coarsen(NodeCells& cells, std::size_t most) {
  constexpr std::uint32_t kCoarsest = std::uint32_t{1} << 31;
  if (!has_more_classes(cells, most)) return {};
  Grain grain;
  NodeCells coarse = cells;
  // What differs most is rounded first, each time to steps twice as long.
  while (has_more_classes(coarse, most)) {
    const std::size_t cpus = grain.cpu < kCoarsest ? amounts(coarse, &Cell::cpu) : 0;
    const std::size_t memories = grain.memory < kCoarsest ? amounts(coarse, &Cell::memory) : 0;
    const std::size_t cuts = grain.parts <= kWholeDevice ? amounts(coarse, &Cell::cuts) : 0;
    const std::size_t most_amounts = std::max({cpus, memories, cuts});
    if (most_amounts <= 1) break;  // only whole devices tell them apart
    (cuts == most_amounts ? grain.parts : cpus == most_amounts ? grain.cpu : grain.memory) *= 2;
    coarse = with_grain(cells, grain, false);
  }
  std::vector<NodeClass> ceiling = classes_of(with_grain(cells, grain, true));
  cells = std::move(coarse);
  return ceiling;
}

}  // namespace aliquot::ip
