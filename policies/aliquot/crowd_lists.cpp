#include "policies/aliquot/crowd_lists.hpp"

#include <algorithm>

#include "policies/aliquot/known_lists.hpp"

namespace aliquot {

CrowdLists::CrowdLists(const Draft& draft)
    : lists(draft.memory()), claims(draft.memory()), at(draft.memory()) {
  const NodeLedger* const rooms = draft.capacity().all();
  std::pmr::vector<Crowded> crowded(draft.memory());
  std::uint32_t most = 0;  // claims: no more than tasks
  for (const NodeRun& run : draft.node_runs()) {
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
      if (!(rooms[n].load > run.capacity)) continue;
      if (at.empty()) at.resize(draft.nodes(), kNone);
      at[n] = static_cast<std::uint32_t>(crowded.size());
      crowded.push_back({n, most, most, static_cast<std::uint64_t>(run.capacity.raw)});
      most += static_cast<std::uint32_t>(rooms[n].tasks);
    }
  }
  if (at.empty()) return;
  claims.resize(most);
  for (const std::uint32_t i : draft.placed_entries()) {
    std::uint32_t units = 0;
    std::uint64_t hash = 0;
    for (const Share& share : draft.placement(i)) {
      const std::uint32_t k = at[share.node.raw];
      if (k == kNone) continue;
      if (share.units != units) hash = hash_of(i, units = share.units);
      claims[crowded[k].end++] = {i, units};
      crowded[k].hash += hash;
    }
  }
  unite(draft, crowded);
}

// What was written node by node is moved together, each list once.
void CrowdLists::unite(const Draft& draft, std::span<const Crowded> crowded) {
  KnownLists known(crowded.size(), draft.memory());
  lists.reserve(crowded.size());
  std::uint32_t end = 0;
  std::uint32_t* last_number = nullptr;  // where the last one's stands: neighbours are often alike
  std::uint64_t last_hash = 0;
  for (const Crowded& node : crowded) {
    const std::span<const Claim> here(claims.data() + node.first, node.end - node.first);
    const auto same = [&](std::uint32_t list) {
      const auto other = of(lists[list]);
      return draft.node(lists[list].node).capacity == draft.node(node.node).capacity &&
             std::equal(here.begin(), here.end(), other.begin(), other.end());
    };
    const bool alike = last_number != nullptr && node.hash == last_hash && same(*last_number - 1);
    std::uint32_t& number = alike ? *last_number : known.find(node.hash, same);
    last_number = &number;
    last_hash = node.hash;
    if (number == 0) {
      std::copy(here.begin(), here.end(), claims.begin() + end);
      const auto last = end + static_cast<std::uint32_t>(here.size());
      lists.push_back({end, last, node.node});
      end = last;
      number = static_cast<std::uint32_t>(lists.size());
    }
    at[node.node] = number - 1;
  }
  claims.resize(end);
}

}  // namespace aliquot
