#include "policies/placement/coarsen.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace aliquot::ip {
namespace {

struct Grain {
  std::uint32_t cpu = 1;
  std::uint32_t memory = 1;
};

std::uint32_t rounded_up(std::uint32_t amount, std::uint32_t grain) {
  const std::uint32_t rest = amount % grain;
  if (rest == 0) return amount;
  const std::uint64_t up = std::uint64_t{amount} + (grain - rest);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(up, std::numeric_limits<std::uint32_t>::max()));
}

NodeCells with_grain(const NodeCells& cells, const Grain& grain, bool up) {
  NodeCells coarse = cells;
  for (auto& cell : coarse) {
    if (!cell) continue;
    cell->cpu = up ? rounded_up(cell->cpu, grain.cpu) : cell->cpu - cell->cpu % grain.cpu;
    cell->memory = up ? rounded_up(cell->memory, grain.memory) : cell->memory - cell->memory % grain.memory;
  }
  return coarse;
}

// How many different amounts there are.
std::size_t amounts(const NodeCells& cells, std::uint32_t Cell::*of) {
  std::set<std::uint32_t> seen;
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
    if (std::max(cpus, memories) <= 1) break;  // only devices tell them apart
    (cpus >= memories ? grain.cpu : grain.memory) *= 2;
    coarse = with_grain(cells, grain, false);
  }
  std::vector<NodeClass> ceiling = classes_of(with_grain(cells, grain, true));
  cells = std::move(coarse);
  return ceiling;
}

}  // namespace aliquot::ip
