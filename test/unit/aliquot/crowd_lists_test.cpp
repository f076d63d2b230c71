// Who stands on crowded nodes, against its naive twin: every node's list written out and compared.
#include "policies/aliquot/crowd_lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

std::vector<Claim> naive_claims(const Draft& draft, std::uint32_t node) {
  std::vector<Claim> claims;
  for (std::uint32_t i = 0; i < draft.size(); ++i) {
    for (const Share& share : draft.placement(i)) {
      if (share.node.raw == node) claims.push_back({i, share.units});
    }
  }
  return claims;
}

// Jobs of many tasks on alike nodes, so that lists are shared, and share only their beginnings.
ClusterView wide_view(std::uint64_t seed) {
  ClusterView view = test::random_view(seed, {.most_nodes = 24, .most_jobs = 30, .plain = seed % 2 == 0});
  test::Dice dice(seed);
  for (auto& [id, job] : view.jobs) {
    if (job.phase != Phase::running || !dice.chance(50)) continue;
    job.placement.clear();
    const std::int64_t first = dice.between(0, view.nodes.size() - 1);
    const std::int64_t last = dice.between(first, view.nodes.size() - 1);
    for (std::int64_t n = first; n <= last; ++n)
      job.placement.push_back({{static_cast<std::uint32_t>(n)}, dice.chance(80) ? 1U : 2U});
  }
  return view;
}

TEST(CrowdLists, equal_their_naive_twin) {
  std::size_t crowded = 0;
  std::size_t lists = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const ClusterView view = wide_view(seed);
    const Draft draft(view);
    const CrowdLists found(draft);
    lists += found.lists.size();
    std::vector<std::uint32_t> first_nodes;
    for (std::uint32_t n = 0; n < draft.nodes(); ++n) {
      const std::uint32_t list = found.at.empty() ? CrowdLists::kNone : found.at[n];
      if (draft.ledger(n).load <= draft.node(n).capacity) {
        ASSERT_EQ(CrowdLists::kNone, list) << "seed " << seed << ", node " << n;
        continue;
      }
      ++crowded;
      ASSERT_LT(list, found.lists.size()) << "seed " << seed << ", node " << n;
      const auto claims = found.of(found.lists[list]);
      EXPECT_EQ(naive_claims(draft, n), std::vector<Claim>(claims.begin(), claims.end()))
          << "seed " << seed;
      EXPECT_EQ(draft.node(found.lists[list].node).capacity, draft.node(n).capacity) << "seed " << seed;
      const bool known = std::any_of(first_nodes.begin(), first_nodes.end(), [&](std::uint32_t before) {
        return draft.node(before).capacity == draft.node(n).capacity &&
               naive_claims(draft, before) == naive_claims(draft, n);
      });
      if (known) continue;
      first_nodes.push_back(n);
      EXPECT_EQ(n, found.lists[list].node) << "seed " << seed << ": lists come in the order of first nodes";
    }
    ASSERT_EQ(first_nodes.size(), found.lists.size()) << "seed " << seed << ": alike nodes are one crowd";
  }
  EXPECT_GT(crowded, 2'000U);
  EXPECT_GT(crowded, lists) << "no nodes were alike: this proves little";
}

}  // namespace
}  // namespace aliquot
