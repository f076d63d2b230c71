#include "policies/aliquot/crowd_lists.hpp"

#include <algorithm>
#include <bit>

namespace aliquot {

namespace {

// The lists that are known, by what is in them: open addressing, a power of two of places.
class KnownLists {
 public:
  explicit KnownLists(std::size_t most, std::pmr::memory_resource* memory)
      : slots_(std::bit_ceil(2 * most + 1), memory) {}

  // Where the list is, or belongs: its number plus one is to be written to a place that says 0.
  template <class Same>
  std::uint32_t& find(std::uint64_t hash, Same&& same) {
    const auto mark = static_cast<std::uint32_t>(hash >> 32);
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].next != 0 && !(slots_[at].mark == mark && same(slots_[at].next - 1)))
      at = (at + 1) & (slots_.size() - 1);
    slots_[at].mark = mark;
    return slots_[at].next;
  }

 private:
  struct Slot {
    std::uint32_t mark = 0;  // of its hash
    std::uint32_t next = 0;
  };
  std::pmr::vector<Slot> slots_;
};

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 29);
}

std::uint64_t hash_of(Cpu capacity, std::span<const Claim> claims) {
  auto hash = static_cast<std::uint64_t>(capacity.raw);
  for (const Claim& claim : claims) hash = mixed(hash, std::uint64_t{claim.entry} << 32 | claim.units);
  return mixed(hash, claims.size());
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
