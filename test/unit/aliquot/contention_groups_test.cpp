// The contention groups against a reference implementation that writes out every node's tasks.
#include "policies/aliquot/contention_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

struct EntryTasks {
  std::uint32_t entry;
  std::uint32_t count;
  friend bool operator==(const EntryTasks&, const EntryTasks&) = default;
};

std::vector<EntryTasks> tasks_on(const Draft& draft, std::uint32_t node) {
  std::vector<EntryTasks> tasks;
  for (std::uint32_t i = 0; i < draft.size(); ++i) {
    for (const Share& share : draft.placement(i)) {
      if (share.node.raw == node) tasks.push_back({i, share.units});
    }
  }
  return tasks;
}

std::vector<EntryTasks> tasks_of(const ContentionGroups& groups, std::uint32_t group) {
  std::vector<EntryTasks> tasks;
  for (const auto& [job, count] : groups.tasks_of(group)) tasks.push_back({groups.jobs()[job], count});
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
    all_groups += groups.size();
    std::vector<std::uint32_t> first_nodes;
    for (std::uint32_t n = 0; n < draft.nodes(); ++n) {
      const std::uint32_t group = groups.group_of({n});
      if (draft.ledger(n).load <= draft.node(n).capacity) {
        ASSERT_EQ(ContentionGroups::kNone, group) << "seed " << seed << ", node " << n;
        continue;
      }
      ++contended;
      ASSERT_LT(group, groups.size()) << "seed " << seed << ", node " << n;
      EXPECT_EQ(tasks_on(draft, n), tasks_of(groups, group)) << "seed " << seed;
      EXPECT_EQ(groups.groups()[group].capacity, draft.node(n).capacity) << "seed " << seed;
      EXPECT_EQ(groups.groups()[group].load, draft.ledger(n).load) << "seed " << seed;
      const bool known = std::any_of(first_nodes.begin(), first_nodes.end(), [&](std::uint32_t before) {
        return draft.node(before).capacity == draft.node(n).capacity &&
               tasks_on(draft, before) == tasks_on(draft, n);
      });
      if (known) continue;
      EXPECT_EQ(first_nodes.size(), group)
          << "seed " << seed << ": groups come in the order of first nodes";
      first_nodes.push_back(n);
    }
    ASSERT_EQ(first_nodes.size(), groups.size()) << "seed " << seed << ": equal nodes are one group";
  }
  EXPECT_GT(contended, 2'000U);
  EXPECT_GT(contended, all_groups) << "no nodes were equal: this proves little";
}

TEST(GroupsOfJobs, are_the_tasks_of_the_groups_by_job) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const ClusterView view = wide_view(seed);
    const Draft draft(view);
    const ContentionGroups groups(draft);
    const GroupsOfJobs groups_of(groups, draft.memory());
    std::size_t tasks = 0;
    for (std::uint32_t job = 0; job < groups.jobs().size(); ++job) {
      for (const auto& [group, count] : groups_of[job]) {
        const ContentionGroups::Tasks wanted{job, count};
        EXPECT_EQ(1, std::ranges::count(groups.tasks_of(group), wanted)) << "seed " << seed;
        ++tasks;
      }
    }
    std::size_t all = 0;
    for (std::uint32_t k = 0; k < groups.size(); ++k) all += groups.tasks_of(k).size();
    EXPECT_EQ(all, tasks) << "seed " << seed;
  }
}

}  // namespace
}  // namespace aliquot
