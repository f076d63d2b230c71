// What the core has added up about a view saves a draft the looking; it must not change anything.
#include <gtest/gtest.h>

#include "policies/dfrs/greedy_placement.hpp"
#include "policies/draft.hpp"
#include "policies/policy.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::random_view;

ClusterView with_index(ClusterView view) {
  view.index.rebuild(view);
  return view;
}

TEST(DraftIndex, gives_the_same_ledgers) {
  for (std::uint64_t seed = 0; seed < 1'500; ++seed) {
    const ClusterView view = random_view(seed, {.plain = seed % 3 == 0});
    const ClusterView indexed = with_index(view);
    for (const auto start : {Draft::Start::as_in_force, Draft::Start::only_fixed}) {
      const Draft slow(view, start);
      const Draft fast(indexed, start);
      ASSERT_EQ(slow.placed_count(), fast.placed_count()) << "seed " << seed;
      for (std::size_t n = 0; n < slow.nodes(); ++n) {
        ASSERT_EQ(slow.ledger(n).free, fast.ledger(n).free) << "seed " << seed << ", node " << n;
        ASSERT_EQ(slow.ledger(n).load, fast.ledger(n).load) << "seed " << seed << ", node " << n;
        ASSERT_EQ(slow.ledger(n).guaranteed, fast.ledger(n).guaranteed)
            << "seed " << seed << ", node " << n;
        ASSERT_EQ(slow.ledger(n).tasks, fast.ledger(n).tasks) << "seed " << seed << ", node " << n;
      }
    }
  }
}

TEST(DraftIndex, gives_the_same_places_and_ledgers_beside_new_placements) {
  std::size_t placed = 0;
  for (std::uint64_t seed = 0; seed < 1'500; ++seed) {
    const ClusterView view = random_view(seed, {.most_nodes = 40, .plain = seed % 3 == 0});
    const ClusterView indexed = with_index(view);
    Draft slow(view);
    Draft fast(indexed);
    for (std::size_t i = 0; i < slow.size(); ++i) {
      if (!slow.candidate(i)) continue;
      const auto place = greedy_placement(slow, slow.job(i).demand);
      ASSERT_EQ(place, greedy_placement(fast, fast.job(i).demand)) << "seed " << seed << ", entry " << i;
      if (!place) continue;
      slow.place(i, *place);
      fast.place(i, *place);
      ++placed;
      for (std::size_t n = 0; n < slow.nodes(); ++n)
        ASSERT_EQ(slow.ledger(n).load, fast.ledger(n).load) << "seed " << seed << ", node " << n;
    }
  }
  EXPECT_GT(placed, 1'000U);
}

TEST(DraftIndex, gives_the_same_plans) {
  for (const char* spec : {"DYNMCB8", "DYNMCB8-ASAP-PER-600", "DYNMCB8-STRETCH-PER-600", "GREEDY-PMTN-MIGR",
                           "GreedyPM*/per=600/MINVT=600", "DYNMCB8+match"}) {
    const auto policy = *make_policy(spec);
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      const ClusterView view = random_view(seed, {.plain = seed % 3 == 0});
      ASSERT_EQ(policy->decide(view), policy->decide(with_index(view))) << spec << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace aliquot
