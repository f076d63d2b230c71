#include "policies/dfrs/repack.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "policies/dfrs/priority.hpp"
#include "policies/dfrs/shapes.hpp"
#include "policies/packing/match.hpp"
#include "policies/packing/yield_search.hpp"

namespace aliquot {

namespace {

// Takes off everything that may be moved; the answer is all that may be placed.
std::vector<std::size_t> take_off(Draft& draft) {
  std::vector<std::size_t> offered;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.fixed(i) || draft.job(i).held) continue;
    if (draft.placed(i)) draft.remove(i);
    offered.push_back(i);
  }
  return offered;
}

// Gives the units of each bin to the jobs of their class, in the order of the class.
std::vector<Placement> hand_out(const Draft& draft, const Shapes& shapes, const Bins& bins,
                                const ShapesPacked& packed) {
  std::vector<Placement> placements(draft.size());
  struct Cursor {
    std::vector<std::size_t> entries;
    std::size_t at = 0;
    std::uint32_t left = 0;  // tasks of entries[at] that have no place yet
  };
  std::vector<Cursor> cursors;
  for (auto& entries : shapes.entries_by_class(packed)) {
    const std::uint32_t first = entries.empty() ? 0 : draft.job(entries.front()).demand.tasks;
    cursors.push_back({std::move(entries), 0, first});
  }
  const auto put = [&](Cursor& cursor, NodeId node, std::uint32_t units) {
    while (units > 0) {
      if (cursor.left == 0) cursor.left = draft.job(cursor.entries[++cursor.at]).demand.tasks;
      const std::uint32_t some = std::min(units, cursor.left);
      placements[cursor.entries[cursor.at]].push_back({node, some});
      cursor.left -= some;
      units -= some;
    }
  };
  std::size_t bin = 0;
  for (const FillRun& run : packed.packing.runs) {
    for (std::uint32_t b = 0; b < run.bins; ++b, ++bin) {
      for (std::uint32_t f = run.first; f < run.last; ++f) {
        const Fill& fill = packed.packing.fills[f];
        put(cursors[fill.task_class], bins.node(bin), fill.units);
      }
    }
  }
  return placements;
}

// Nodes that may exchange their bins: up, alike, and with nothing on them that must stay.
std::vector<std::int32_t> kinds_of_nodes(const Draft& only_fixed) {
  std::vector<std::int32_t> kinds(only_fixed.nodes(), kNotMatched);
  std::map<std::pair<Cpu, Memory>, std::int32_t> known;
  for (std::size_t n = 0; n < only_fixed.nodes(); ++n) {
    const Node& node = only_fixed.node(n);
    if (!node.usable() || only_fixed.room(n).tasks != 0) continue;
    const auto next = static_cast<std::int32_t>(known.size());
    kinds[n] = known.try_emplace({node.capacity, node.memory}, next).first->second;
  }
  return kinds;
}

void move_to_old_hosts(const Draft& only_fixed, std::vector<Placement>& placements) {
  Contents bins(only_fixed.nodes());
  Contents hosts(only_fixed.nodes());
  for (std::uint32_t i = 0; i < placements.size(); ++i) {
    for (const Share& share : placements[i]) bins[share.node.raw].push_back({i, share.units});
    if (placements[i].empty()) continue;
    for (const Share& share : only_fixed.job(i).placement) {
      hosts[share.node.raw].push_back({i, share.units});
    }
  }
  const auto host_of = match_bins(bins, hosts, kinds_of_nodes(only_fixed));
  for (Placement& placement : placements) {
    for (Share& share : placement) share.node = {host_of[share.node.raw]};
    std::sort(placement.begin(), placement.end());
  }
}

}  // namespace

void repack(Draft& draft, const LevelRule& rule, bool match) {
  std::vector<std::size_t> offered = take_off(draft);
  Bins bins(draft);
  std::erase_if(offered, [&](std::size_t i) { return !bins.fits(draft.job(i).demand); });
  offered = by_decreasing_priority(draft, std::move(offered));
  Shapes shapes(draft, rule);
  for (std::size_t i : offered) shapes.add(i);

  const auto drop_lowest = [&] {
    shapes.drop(offered.back());
    offered.pop_back();
  };
  // Where all the memory there is does not suffice, no test can succeed.
  while (shapes.memory() > bins.free_memory()) drop_lowest();
  const auto pack = [&](Yield level) { return shapes.pack(bins, level); };
  auto best = highest_level(pack);
  while (!best && !offered.empty()) {
    drop_lowest();
    best = highest_level(pack);
  }
  if (!best) return;

  std::vector<Placement> placements = hand_out(draft, shapes, bins, best->found);
  if (match) move_to_old_hosts(draft, placements);
  for (std::size_t i : offered) draft.place(i, std::move(placements[i]));
}

}  // namespace aliquot
