// The short way of FCFS and EASY against the long one, on clusters where the short one may be gone.
#include "policies/batch/whole_nodes.hpp"

#include <gtest/gtest.h>

#include <string>

#include "policies/policy.hpp"
#include "test/support/random_view.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using test::Dice;

// Whole-node jobs on equal nodes: some stand, many wait; estimates may be missing, passed or equal.
ClusterView batch_view(std::uint64_t seed) {
  Dice dice(seed);
  ClusterView view;
  view.now = Instant{} + seconds(1000);
  const auto count = static_cast<std::uint32_t>(dice.between(1, 80));
  std::vector<std::uint32_t> idle;
  for (std::uint32_t n = 0; n < count; ++n) {
    view.nodes.push_back(test::node(n));
    if (dice.chance(5)) view.nodes.back().service = NodeService::draining;
    idle.push_back(n);
  }
  const int missing = dice.chance(30) ? 30 : 0;
  const std::int64_t jobs = dice.between(1, 40);
  for (std::int64_t i = 1; i <= jobs; ++i) {
    const auto id = static_cast<std::uint64_t>(i);
    const auto tasks = static_cast<std::uint32_t>(dice.between(1, dice.chance(70) ? 6 : count + 2));
    Submission what = test::submission(tasks, dice.chance(10) ? 500 : 1000, dice.between(1, 1000));
    if (!dice.chance(missing)) what.demand.estimate = seconds(dice.between(1, 12) * 50);
    if (dice.chance(70)) what.demand.predicted = seconds(dice.between(0, 12) * 50);
    Job job = test::waiting(id, what);
    const Instant submitted = Instant{} + seconds(dice.between(0, 20) * 50);
    if (tasks <= idle.size() && dice.chance(45)) {
      Placement placement;
      for (std::uint32_t k = 0; k < tasks; ++k) {
        const auto at =
            static_cast<std::ptrdiff_t>(dice.between(0, static_cast<std::int64_t>(idle.size()) - 1));
        placement.push_back({{idle[static_cast<std::size_t>(at)]}, 1});
        idle.erase(idle.begin() + at);
      }
      std::sort(placement.begin(), placement.end());
      job = test::running(id, what, std::move(placement));
      job.progress.rate = kFullYield;
      job.progress.since = submitted + seconds(dice.between(0, (view.now - submitted).raw / kMillion));
    } else if (dice.chance(5)) {
      job.held = true;
    }
    job.submitted = submitted;
    view.jobs.emplace(job.id, job);
  }
  Dice weights(~seed);
  if (seed % 2 == 1)
    for (auto&& [id, job] : view.jobs) job.demand.weight = {weights.between(1, 4) * kMillion / 2};
  return view;
}

class WholeNodes : public testing::TestWithParam<std::string> {};

TEST_P(WholeNodes, counting_comes_to_the_plan_of_looking_at_everybody) {
  const auto policy = std::move(*make_policy(GetParam()));
  int counted = 0;
  int started = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    const ClusterView view = batch_view(seed);
    ClusterView indexed = view;
    indexed.index.rebuild(indexed);
    if (!countable(indexed)) continue;
    const Plan plan = policy->decide(view);
    ASSERT_EQ(plan, policy->decide(indexed)) << "seed " << seed;
    ++counted;
    started += plan.changes.empty() ? 0 : 1;
  }
  EXPECT_GT(counted, 10'000);
  EXPECT_GT(started, 5'000);
}

INSTANTIATE_TEST_SUITE_P(batch, WholeNodes, testing::Values("FCFS", "EASY", "EASY/predict"),
                         [](const auto& named) {
                           return named.param == "EASY/predict" ? "EASY_predict" : named.param;
                         });

}  // namespace
}  // namespace aliquot
