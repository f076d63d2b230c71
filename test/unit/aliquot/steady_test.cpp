// Which yields are left as they are, against a twin that joins all who share a crowd into groups.
#include "policies/aliquot/steady.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "policies/aliquot/crowd_lists.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

bool hardly_changes(const Job& job, Shares now, Yield next) {
  return now == Shares(job.placement) && std::abs(job.yield.raw - next.raw) * 20 <= job.yield.raw &&
         job.yield >= floor_of(job.demand);
}

void plainly_keep_steady(const Draft& draft, Yields& yields) {
  std::vector<std::size_t> group(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) group[i] = i;
  const CrowdLists crowded(draft);
  for (const CrowdLists::List& list : crowded.lists) {
    for (const Claim& claim : crowded.of(list)) {
      const std::size_t from = group[claim.entry];
      for (std::size_t& other : group)
        if (other == from) other = group[crowded.of(list).front().entry];
    }
  }
  std::vector<bool> changes(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i) && !hardly_changes(draft.job(i), draft.placement(i), yields[i]))
      changes[group[i]] = true;
  }
  for (std::size_t i = 0; i < draft.size(); ++i)
    if (draft.placed(i) && !changes[group[i]]) yields[i] = draft.job(i).yield;
}

TEST(Steady, yields_are_kept_as_those_of_a_plain_twin) {
  std::size_t kept = 0;
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < 6'000; ++seed) {
    const ClusterView view = test::random_view(seed, {24, 30, seed % 2 == 0});
    test::Dice dice(seed);
    Draft draft(view);
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (draft.placed(i) && !draft.fixed(i) && dice.chance(5)) draft.remove(i);
    }
    Outlooks outlooks(draft.size());
    for (std::size_t i = 0; i < draft.size(); ++i)
      outlooks[i] = outlook_of(draft.job(i), view.now, view.now, kStretchBound);
    const Floors floors(draft, outlooks, {});
    if (!floors.any()) continue;
    Yields yields(draft.size());
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (!draft.placed(i)) continue;
      const std::int64_t before = draft.job(i).yield.raw;
      yields[i] = {before + dice.between(-before / (dice.chance(60) ? 20 : 12), before / 20)};
    }
    Yields plain = yields;
    plainly_keep_steady(draft, plain);
    keep_steady(draft, draft.placed_entries(), outlooks, floors, yields);
    ASSERT_EQ(plain, yields) << "seed " << seed;
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (draft.placed(i)) ++(yields[i] == draft.job(i).yield ? kept : changed);
    }
  }
  EXPECT_GT(kept, 2'000U);
  EXPECT_GT(changed, 1'000U);
}

}  // namespace
}  // namespace aliquot
