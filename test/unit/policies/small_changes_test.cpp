// Which changes of yields are too small to be made where caps cost something, and which are made all the
// same.
#include "policies/small_changes.hpp"

#include <gtest/gtest.h>

#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

using test::on;
using test::SmallView;

constexpr Yield kHalf{500'000};
constexpr Yield kHardlyLess{491'000};
constexpr Yield kHardlyMore{509'000};

// On each node two jobs that need all of it and get half.
SmallView shared_nodes(std::uint32_t nodes) {
  SmallView small(nodes);
  small.view.costs.least_change = {kMillion / 50};
  for (std::uint32_t n = 0; n < nodes; ++n)
    for (const std::uint64_t id : {std::uint64_t{1} + 2 * n, std::uint64_t{2} + 2 * n})
      small.running(id, {on(n)}, 100, 10).yield = kHalf;
  return small;
}

Plan left_of(const SmallView& small, std::vector<Change> changes) {
  Plan plan{std::move(changes), {}, {}};
  EXPECT_TRUE(check_plan(small.view, plan).empty());
  leave_small_changes(small.view, plan);
  EXPECT_TRUE(check_plan(small.view, plan).empty());
  return plan;
}

TEST(SmallChanges, a_yield_that_would_hardly_change_stays) {
  const SmallView small = shared_nodes(1);
  EXPECT_TRUE(left_of(small, {{{1}, {on(0)}, kHardlyLess}, {{2}, {on(0)}, kHardlyMore}}).changes.empty());
}

TEST(SmallChanges, a_change_by_the_least_part_is_small_and_one_beyond_it_is_made) {
  const SmallView small = shared_nodes(2);
  const Change beyond{{3}, {on(1)}, Yield{489'999}};
  EXPECT_EQ(std::vector{beyond}, left_of(small, {{{1}, {on(0)}, Yield{490'000}}, beyond}).changes);
}

TEST(SmallChanges, where_caps_cost_nothing_all_are_made) {
  SmallView small = shared_nodes(1);
  small.view.costs.least_change = {};
  EXPECT_EQ(1U, left_of(small, {{{1}, {on(0)}, kHardlyLess}}).changes.size());
}

TEST(SmallChanges, what_another_job_needs_is_given_up) {
  SmallView small = shared_nodes(2);
  small.waiting(9, 1, 1, 10);  // a hundredth of a core
  const Change starts{{9}, {on(0)}, kFullYield};
  const Change frees{{1}, {on(0)}, Yield{490'000}};
  // On the other node nothing is needed.
  EXPECT_EQ((std::vector{frees, starts}),
            left_of(small, {frees, {{3}, {on(1)}, Yield{490'000}}, starts}).changes);
}

TEST(SmallChanges, no_more_is_given_up_than_is_needed) {
  SmallView small = shared_nodes(1);
  small.waiting(9, 1, 1, 10);
  const Change first{{1}, {on(0)}, Yield{490'000}};
  const Change starts{{9}, {on(0)}, kFullYield};
  EXPECT_EQ((std::vector{first, starts}),
            left_of(small, {first, {{2}, {on(0)}, Yield{490'000}}, starts}).changes);
}

TEST(SmallChanges, a_job_that_can_run_at_full_speed_does) {
  SmallView small(1);
  small.view.costs.least_change = {kMillion / 50};
  small.running(1, {on(0)}, 100, 10).yield = Yield{990'000};
  EXPECT_EQ(1U, left_of(small, {{{1}, {on(0)}, kFullYield}}).changes.size());
}

TEST(SmallChanges, a_guaranteed_yield_is_never_missed) {
  SmallView small(1);
  small.view.costs.least_change = {kMillion / 50};
  Job& job = small.running(1, {on(0)}, 100, 10);
  job.yield = Yield{495'000};
  job.demand.min_yield = kHalf;  // since a moment ago
  EXPECT_EQ(1U, left_of(small, {{{1}, {on(0)}, kHalf}}).changes.size());
}

TEST(SmallChanges, a_job_that_moves_gets_what_the_policy_gave_it) {
  SmallView small = shared_nodes(1);
  small.view.nodes.push_back({{1}, "n1", cores(1), mebibytes(100), NodeState::up, 1});
  EXPECT_EQ(1U, left_of(small, {{{1}, {on(1)}, kHardlyLess}}).changes.size());
}

// The index of the view tells the same as its jobs.
TEST(SmallChanges, over_an_index_the_same_changes_are_left) {
  SmallView small = shared_nodes(2);
  small.waiting(9, 1, 1, 10);
  const std::vector<Change> changes{
      {{1}, {on(0)}, Yield{490'000}}, {{3}, {on(1)}, Yield{490'000}}, {{9}, {on(0)}, kFullYield}};
  const Plan without = left_of(small, changes);
  small.view.index.rebuild(small.view);
  EXPECT_EQ(without, left_of(small, changes));
}

TEST(SmallChanges, every_policy_that_is_made_by_name_leaves_them) {
  SmallView small(1);
  small.view.costs.least_change = {kMillion / 50};
  small.running(1, {on(0)}, 100, 10).yield = Yield{498'000};
  small.running(2, {on(0)}, 100, 10).yield = Yield{498'000};
  small.view.cause.completed = true;
  for (const char* policy : {"GREEDY", "DYNMCB8", "DYNMCB8-ASAP-PER-600"})
    EXPECT_TRUE(small.decide(policy).changes.empty()) << policy;
}

}  // namespace
}  // namespace aliquot
