// The contention groups against a reference implementation that writes out every node's tasks.
#include "policies/aliquot/contention_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using Tasks = std::vector<ContentionGroups::Tasks>;

Tasks tasks_on(const Draft& draft, std::uint32_t node) {
  Tasks tasks;
  for (std::uint32_t i = 0; i < draft.size(); ++i) {
    for (const Share& share : draft.placement(i)) {
      if (share.node.raw == node) tasks.push_back({i, share.units});
    }
  }
  return tasks;
}

// Jobs of many tasks on equal nodes, so that nodes host the same tasks, or only partly the same.
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

TEST(ContentionGroups, equal_those_of_the_reference_implementation) {
  std::size_t contended = 0;
  std::size_t all_groups = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const ClusterView view = wide_view(seed);
    const Draft draft(view);
    const ContentionGroups groups(draft);
    std::vector<std::uint32_t> jobs;
    std::size_t found = 0;
    std::optional<std::uint32_t> previous;
    for (std::uint32_t n = 0; n < draft.nodes(); ++n) {
      if (draft.ledger(n).load <= draft.node(n).capacity) continue;
      ++contended;
      const Tasks tasks = tasks_on(draft, n);
      const bool as_before = previous && draft.node(*previous).capacity == draft.node(n).capacity &&
                             tasks_on(draft, *previous) == tasks;
      previous = n;
      for (const auto& [i, count] : tasks) jobs.push_back(i);
      if (as_before) continue;
      ASSERT_LT(found, groups.size()) << "seed " << seed << ", node " << n;
      const ContentionGroups::Group& group = groups[found++];
      EXPECT_TRUE(std::ranges::equal(tasks, group.tasks)) << "seed " << seed << ", node " << n;
      EXPECT_EQ(group.capacity, draft.node(n).capacity) << "seed " << seed;
      EXPECT_EQ(group.load, draft.ledger(n).load) << "seed " << seed;
    }
    ASSERT_EQ(found, groups.size()) << "seed " << seed << ": neighbours that are equal are one group";
    all_groups += found;
    std::ranges::sort(jobs);
    jobs.erase(std::ranges::unique(jobs).begin(), jobs.end());
    EXPECT_EQ(jobs, groups.jobs()) << "seed " << seed;
  }
  EXPECT_GT(contended, 2'000U);
  EXPECT_GT(contended, all_groups) << "no neighbours were equal: this proves little";
}

}  // namespace
}  // namespace aliquot
