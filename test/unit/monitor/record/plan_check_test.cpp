// The checker must refuse every planted bad plan, for the right reason, and nothing else.
#include "monitor/record/plan_check.hpp"

#include <gtest/gtest.h>

#include "test/support/planted_plan.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using test::node;
using test::plan;
using test::Planted;
using test::running;
using test::submission;
using test::waiting;

constexpr Yield kHalf{500'000};

// Two nodes of one core and 1,000 MiB; n2 drains. Job 1 runs on n0 at yield 1, job 2 waits, job 3 is
// pinned on n1, job 4 is held, job 5 is guaranteed a yield of 0.4.
ClusterView cluster() {
  ClusterView view;
  view.now = Instant{} + seconds(100);
  view.nodes = {node(0), node(1), node(2)};
  view.nodes[2].service = NodeService::draining;
  view.jobs[{1}] = running(1, submission(1, 1000, 400), {{{0}, 1}});
  view.jobs[{2}] = waiting(2, submission(2, 1000, 300));
  view.jobs[{3}] = running(3, submission(1, 200, 300), {{{1}, 1}});
  view.jobs[{3}].pinned = true;
  view.jobs[{4}] = waiting(4, submission(1, 100, 100));
  view.jobs[{4}].held = true;
  view.jobs[{5}] = waiting(5, submission(1, 500, 100));
  view.jobs[{5}].demand.min_yield = Yield{400'000};
  return view;
}

std::vector<Planted> planted() {
  const Change share_n0{{1}, {{{0}, 1}}, kHalf};
  Plan wakes_now;
  wakes_now.wake_at = Instant{} + seconds(100);
  return {
      {"a job nobody submitted", plan({{{99}, {{{0}, 1}}, kHalf}}), Law::known_job},
      {"a job named twice", plan({share_n0, share_n0}), Law::known_job},
      {"jobs out of order", plan({{{5}, {{{1}, 1}}, kHalf}, share_n0}), Law::known_job},
      {"a node that does not exist", plan({{{1}, {{{7}, 1}}, kHalf}}), Law::known_node},
      {"a share of no units", plan({{{1}, {{{0}, 0}}, kHalf}}), Law::known_node},
      {"nodes out of order", plan({{{2}, {{{1}, 1}, {{0}, 1}}, kHalf}}), Law::known_node},
      {"a node named twice", plan({{{2}, {{{1}, 1}, {{1}, 1}}, kHalf}}), Law::known_node},
      {"a task too few", plan({{{2}, {{{1}, 1}}, kHalf}}), Law::all_tasks},
      {"a task too many", plan({{{1}, {{{0}, 2}}, kHalf}}), Law::all_tasks},
      {"placed at yield 0", plan({{{1}, {{{0}, 1}}, Yield{0}}}), Law::yield_in_range},
      {"a yield above 1", plan({{{1}, {{{0}, 1}}, Yield{1'000'001}}}), Law::yield_in_range},
      {"a negative yield", plan({{{1}, {{{0}, 1}}, Yield{-1}}}), Law::yield_in_range},
      {"paused with a yield", plan({{{1}, {}, kHalf}}), Law::yield_in_range},
      {"below the guaranteed yield", plan({{{5}, {{{1}, 1}}, Yield{399'999}}}), Law::guaranteed_yield},
      {"memory by one job", plan({share_n0, {{2}, {{{0}, 2}}, Yield{250'000}}, {{5}, {{{0}, 1}}, kHalf}}),
       Law::memory},
      {"memory with what stays", plan({{{2}, {{{0}, 2}}, Yield{1}}, {{5}, {{{0}, 1}}, Yield{400'000}}}),
       Law::memory},
      {"CPU by a raise", plan({{{2}, {{{1}, 2}}, Yield{400'001}}}), Law::cpu},
      {"CPU with what stays", plan({{{5}, {{{0}, 1}}, kHalf}}), Law::cpu},
      {"a held job placed", plan({{{4}, {{{1}, 1}}, kHalf}}), Law::held_stays_out},
      {"a pinned job moved", plan({share_n0, {{3}, {{{0}, 1}}, kHalf}}), Law::pinned_stays},
      {"a pinned job paused", plan({{{3}, {}, Yield{0}}}), Law::pinned_stays},
      {"something new on a draining node", plan({{{5}, {{{2}, 1}}, kHalf}}), Law::node_usable},
      {"a move to a draining node", plan({{{1}, {{{2}, 1}}, kHalf}}), Law::node_usable},
      {"to be woken now", wakes_now, Law::wakes_later},
  };
}

class PlantedPlan : public testing::TestWithParam<Planted> {};

TEST_P(PlantedPlan, is_refused_for_the_right_reason) { test::expect_refused(cluster(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(plans, PlantedPlan, testing::ValuesIn(planted()));

TEST(plan_check, accepts_a_plan_that_fills_a_node_to_the_last_unit) {
  // n1: 0.2 cores of job 3 (pinned, yield 1), and 2 tasks of 1 core at yield 0.4.
  EXPECT_TRUE(check_plan(cluster(), plan({{{2}, {{{1}, 2}}, Yield{400'000}}})).empty());
}

TEST(plan_check, lets_a_draining_node_keep_what_it_has) {
  ClusterView view = cluster();
  view.jobs[{1}].placement = {{{2}, 1}};
  EXPECT_TRUE(check_plan(view, plan({{{1}, {{{2}, 1}}, kHalf}})).empty());
}

TEST(plan_check, does_not_look_at_nodes_the_plan_leaves_alone) {
  ClusterView view = cluster();
  view.nodes[1].memory = mebibytes(1);  // shrank below what stands there
  EXPECT_TRUE(check_plan(view, plan({{{1}, {{{0}, 1}}, kHalf}})).empty());
  EXPECT_EQ(check_view(view).size(), 1U);
}

TEST(plan_check, accepts_the_empty_plan_and_the_lawful_view) {
  EXPECT_TRUE(check_plan(cluster(), {}).empty());
  EXPECT_TRUE(check_view(cluster()).empty());
}

}  // namespace
}  // namespace aliquot
