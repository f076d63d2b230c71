#include "policies/aliquot/steady.hpp"

#include <numeric>
#include <utility>

namespace aliquot {

namespace {

constexpr std::int64_t kPart = 20;  // of a yield: a smaller change is none
constexpr std::uint32_t kNobody = UINT32_MAX;

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

void keep_steady(const Draft& draft, Yields& yields) {
  const auto placed = draft.placed_entries();
  const Room* const rooms = draft.rooms().all();
  Groups groups(draft.size(), draft.memory());
  std::pmr::vector<std::uint32_t> first_on(draft.nodes(), kNobody, draft.memory());
  for (const std::uint32_t i : placed) {
    for (const Share& share : draft.placement(i)) {
      const std::uint32_t n = share.node.raw;
      if (rooms[n].load <= draft.node(n).capacity) continue;
      if (first_on[n] == kNobody) {
        first_on[n] = i;
      } else {
        groups.join(i, first_on[n]);
      }
    }
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
