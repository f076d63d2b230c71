#include "policies/aliquot/crowd_lists.hpp"

#include <algorithm>

#include "policies/aliquot/known_lists.hpp"

namespace aliquot {

namespace {

std::uint64_t hash_of(Cpu capacity, std::span<const Claim> claims) {
  ListHash hash(static_cast<std::uint64_t>(capacity.raw));
  for (const Claim& claim : claims) hash.add(claim.entry, claim.units);
  return hash.value();
}

}  // namespace

CrowdLists::CrowdLists(const Draft& draft)
    : lists(draft.memory()), claims(draft.memory()), at(draft.memory()) {
  const Room* const rooms = draft.rooms().all();
  std::pmr::vector<std::uint32_t> crowded(draft.memory());
  std::uint32_t most = 0;  // claims: no more than tasks
  for (const NodeRun& run : draft.node_runs()) {
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
      if (!(rooms[n].load > run.capacity)) continue;
      if (at.empty()) at.resize(draft.nodes(), kNone);
      crowded.push_back(n);
      at[n] = most;  // where its next claim is written, until all are
      most += static_cast<std::uint32_t>(rooms[n].tasks);
    }
  }
  if (at.empty()) return;
  claims.resize(most);
  for (std::uint32_t i = 0; i < draft.size(); ++i) {
    for (const Share& share : draft.placement(i)) {
      std::uint32_t& next = at[share.node.raw];
      if (next != kNone) claims[next++] = {i, share.units};
    }
  }
  unite(draft, crowded);
}

// What was written node by node is moved together, each list once.
void CrowdLists::unite(const Draft& draft, std::span<const std::uint32_t> crowded) {
  const Room* const rooms = draft.rooms().all();
  KnownLists known(crowded.size(), draft.memory());
  lists.reserve(crowded.size());
  std::uint32_t from = 0;
  std::uint32_t end = 0;
  for (const std::uint32_t n : crowded) {
    const std::span<const Claim> here(claims.data() + from, at[n] - from);
    from += static_cast<std::uint32_t>(rooms[n].tasks);
    const Cpu capacity = draft.node(n).capacity;
    std::uint32_t& number = known.find(hash_of(capacity, here), [&](std::uint32_t list) {
      const auto other = of(lists[list]);
      return draft.node(lists[list].node).capacity == capacity &&
             std::equal(here.begin(), here.end(), other.begin(), other.end());
    });
    if (number == 0) {
      std::copy(here.begin(), here.end(), claims.begin() + end);
      const auto last = end + static_cast<std::uint32_t>(here.size());
      lists.push_back({end, last, n});
      end = last;
      number = static_cast<std::uint32_t>(lists.size());
    }
    at[n] = number - 1;
  }
  claims.resize(end);
}

}  // namespace aliquot
