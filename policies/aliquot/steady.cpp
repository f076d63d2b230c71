#include "policies/aliquot/steady.hpp"

#include <numeric>
#include <utility>

namespace aliquot {

namespace {

constexpr std::int64_t kPart = 20;  // of a yield: a smaller change is none

// Groups of entries.
class Groups {
 public:
  Groups(std::size_t entries, std::pmr::memory_resource* memory) : parent_(entries, memory) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t of(std::uint32_t entry) {
    while (parent_[entry] != entry) entry = parent_[entry] = parent_[parent_[entry]];
    return entry;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[of(a)] = of(b); }

 private:
  std::pmr::vector<std::uint32_t> parent_;
};

bool hardly_changes(const Job& job, Shares now, Yield next) {
  const std::int64_t change = std::max(job.yield, next).raw - std::min(job.yield, next).raw;
  return now == Shares(job.placement) && change * kPart <= job.yield.raw &&
         job.yield >= floor_of(job.demand);
}

}  // namespace

void keep_steady(const Draft& draft, const CrowdLists& crowded, Yields& yields) {
  const auto placed = draft.placed_entries();
  Groups groups(draft.size(), draft.memory());
  for (const CrowdLists::List& list : crowded.lists) {
    const auto claims = crowded.of(list);
    for (const Claim& claim : claims.subspan(1)) groups.join(claim.entry, claims.front().entry);
  }
  std::pmr::vector<bool> changes(draft.size(), false, draft.memory());
  for (const std::uint32_t i : placed) {
    if (!hardly_changes(draft.job(i), draft.placement(i), yields[i])) changes[groups.of(i)] = true;
  }
  for (const std::uint32_t i : placed) {
    if (!changes[groups.of(i)]) yields[i] = draft.job(i).yield;
  }
}

}  // namespace aliquot
