// What `decide` says beside the plan: the view as the plan leaves it, and the bound on the lowest yield.
#include <gtest/gtest.h>

#include "monitor/record/plan_check.hpp"
#include "test/support/random_view.hpp"
#include "tools/sim/decide/adopted.hpp"
#include "tools/sim/decide/one_decision.hpp"
#include "tools/sim/decide/view_maker.hpp"
#include "tools/sim/view_json.hpp"

namespace aliquot {
namespace {

using test::random_view;

std::int64_t tenths_of_seconds() {
  static std::int64_t now = 0;
  return now += 100'000'000;
}

TEST(Decide, leaves_a_lawful_view_that_its_plan_does_not_change_again) {
  const auto policy = *make_policy("DYNMCB8");
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const ClusterView view = random_view(seed);
    const Plan plan = policy->decide(view);
    const ClusterView next = adopted(view, plan);
    ASSERT_TRUE(check_view(next).empty()) << "seed " << seed << ": " << check_view(next).front().text;
    for (const Change& change : plan.changes) {
      ASSERT_EQ(change.placement, next.jobs.at(change.job).placement) << "seed " << seed;
      ASSERT_EQ(change.yield, next.jobs.at(change.job).yield) << "seed " << seed;
    }
  }
}

TEST(Decide, no_policy_beats_the_bound_on_the_lowest_yield) {
  std::size_t reached = 0;
  for (const char* spec : {"DYNMCB8", "GREEDY-PMTN-MIGR", "MCB8*/OPT=MIN"}) {
    const auto policy = *make_policy(spec);
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      const ClusterView view = random_view(seed);
      const OneDecision made = decide_once(view, *policy, 1, tenths_of_seconds);
      ASSERT_TRUE(made.violations.empty()) << spec << ", seed " << seed;
      ASSERT_LE(made.yields.lowest, made.yields.bound) << spec << ", seed " << seed;
      ASSERT_GE(made.yields.gap(), 0);
      if (made.yields.bound < kFullYield && made.yields.gap() < 0.01) ++reached;
    }
  }
  EXPECT_GT(reached, 10U);
}

TEST(Decide, the_bound_knows_the_volume_the_largest_node_and_whole_tasks) {
  ClusterView view;
  for (std::uint32_t n = 0; n < 3; ++n) {
    view.nodes.push_back({{n}, "n", cores(n == 2 ? 4 : 1), mebibytes(100), NodeState::up, 1});
  }
  Job job;
  job.id = {1};
  job.phase = Phase::running;
  job.demand = {2, cores(6), mebibytes(1), {}, {}, true};
  job.placement = {{{2}, 2}};
  job.yield = {333'333};
  view.jobs.emplace(job.id, job);
  EXPECT_EQ(Yield{333'333}, yield_bound(view).bound);  // both on the large one: 4 cores of 12
  view.nodes[0].capacity = view.nodes[1].capacity = cores(3);
  EXPECT_EQ(Yield{500'000}, yield_bound(view).bound);  // one of them on a small one: 3 cores of 6
  view.nodes[0].state = view.nodes[1].state = NodeState::down;
  EXPECT_EQ(Yield{333'333}, yield_bound(view).bound);  // 4 cores of 12
  EXPECT_DOUBLE_EQ(0, yield_bound(view).gap());
  view.jobs.at({1}).demand.tasks = 1;
  view.jobs.at({1}).placement = {{{2}, 1}};
  EXPECT_EQ(Yield{666'666}, yield_bound(view).bound);  // one task: 4 cores of 6
}

TEST(Decide, tells_the_time_of_every_repetition_and_why_each_job_is_not_placed) {
  const auto policy = *make_policy("DYNMCB8");
  const ClusterView view = make_view(8, 60, Sizes::paper, 3);
  const OneDecision made = decide_once(view, *policy, 5, tenths_of_seconds);
  EXPECT_EQ(std::vector<std::int64_t>(5, 100'000'000), made.nanoseconds);
  EXPECT_EQ(60U, made.unplaced + made.yields.placed);
  ASSERT_EQ(made.unplaced, made.reasons.size());
  ASSERT_FALSE(made.reasons.empty());
  for (const Unplaced& left : made.reasons) EXPECT_FALSE(left.why.text.empty());
}

TEST(ViewMaker, makes_lawful_views_that_read_back) {
  for (const Sizes sizes : {Sizes::paper, Sizes::continuous}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const ClusterView view = make_view(24, 60, sizes, seed);
      ASSERT_TRUE(check_view(view).empty()) << check_view(view).front().text;
      const auto back = parse_view(view_json(view));
      ASSERT_TRUE(back) << back.error().message;
      ASSERT_EQ(view_json(view), view_json(*back));
    }
  }
}

}  // namespace
}  // namespace aliquot
