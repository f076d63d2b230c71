// What ALIQUOT decides in small worlds that can be worked out by hand. P is 60 s unless said otherwise.
#include "policies/aliquot/aliquot.hpp"

#include <gtest/gtest.h>

#include "policies/aliquot/policy_state.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

using test::pauses;
using test::placed;
using test::SmallView;

constexpr const char* kName = "ALIQUOT";

SmallView with_cost(std::uint32_t nodes, Duration cost = seconds(60)) {
  SmallView small(nodes);
  small.view.costs.restart = cost;
  return small;
}

void remember(ClusterView& view, const AliquotState& state) {
  view.memory.state = std::make_shared<AliquotState>(state);
}

const AliquotState& remembered(const ClusterView& view) { return *view.memory.state_as<AliquotState>(); }

TEST(Aliquot, a_new_job_goes_where_the_least_cpu_is_given_away) {
  SmallView small = with_cost(3);
  small.running(1, {{{0}, 1}}, 60, 10);
  small.running(2, {{{2}, 1}}, 30, 10);
  small.arrived(3, 1, 50, 10);
  EXPECT_EQ((Placement{{{1}, 1}}), placed(small.decide(kName), 3));
}

// Paused now, a job of 10,000 s would lose 180 s: nothing to it.
TEST(Aliquot, a_new_job_pauses_one_that_can_bear_it) {
  SmallView small = with_cost(1);
  small.running(1, {{{0}, 1}}, 50, 90, 10'000, 10'000);
  small.arrived(2, 1, 50, 90);
  const Plan plan = small.decide(kName);
  EXPECT_TRUE(pauses(plan, 1));
  EXPECT_EQ((Placement{{{0}, 1}}), placed(plan, 2));
  EXPECT_EQ(small.view.now + seconds(60), plan.memory.retries.at({1}).not_before);
}

// An exchange of pauses costs both sides P: no sooner does it force its way back, and not at once if P is
// 0.
TEST(Aliquot, who_was_paused_forces_its_way_back_no_sooner_than_an_action_costs) {
  SmallView small = with_cost(1, Duration{});
  small.running(1, {{{0}, 1}}, 50, 90, 10'000, 10'000);
  small.arrived(2, 1, 50, 90);
  EXPECT_EQ(small.view.now + seconds(15), small.decide(kName).memory.retries.at({1}).not_before);
  small.view.costs.restart = seconds(900);
  EXPECT_EQ(small.view.now + seconds(900), small.decide(kName).memory.retries.at({1}).not_before);
}

// When the paused one may come back tells what the action was believed to cost: thrice what is said, up to
// the 30 s of a short job, unless the options say what it is.
TEST(Aliquot, a_small_cost_is_believed_to_be_larger) {
  const auto back_after = [](Duration cost, const char* policy) {
    SmallView small = with_cost(1, cost);
    small.running(1, {{{0}, 1}}, 50, 90, 10'000, 10'000);
    small.arrived(2, 1, 50, 90);
    return small.decide(policy).memory.retries.at({1}).not_before - small.view.now;
  };
  EXPECT_EQ(back_after(seconds(7), kName), seconds(21));
  EXPECT_EQ(back_after(seconds(20), kName), seconds(30));
  EXPECT_EQ(back_after(seconds(31), kName), seconds(31));
  EXPECT_EQ(back_after(seconds(60), "ALIQUOT:cost=33%"), seconds(30));
  EXPECT_EQ(back_after(seconds(60), "ALIQUOT:cost=20"), seconds(20));
}

// It has come to 78 already, so a new job would have to come to half of that first. But it has just come
// back and makes no progress yet: paused again it comes to 79, a fiftieth more.
TEST(Aliquot, a_new_job_undoes_a_return_whose_penalty_is_still_served) {
  SmallView small = with_cost(1);
  Job& late = small.running(1, {{{0}, 1}}, 50, 90, 10'000, 100);
  small.waiting(2, 1, 50, 90, 3);
  small.view.cause.woken = true;
  EXPECT_FALSE(pauses(small.decide(kName), 1));
  late.progress.stalled_until = small.view.now + seconds(50);
  const Plan plan = small.decide(kName);
  EXPECT_TRUE(pauses(plan, 1));
  EXPECT_EQ((Placement{{{0}, 1}}), placed(plan, 2));
}

// After 100 s of work 180 s more would make it 2.5 times as late: the new job is not that late itself.
TEST(Aliquot, nor_does_it_undo_one_that_would_get_much_worse) {
  SmallView small = with_cost(1);
  small.running(1, {{{0}, 1}}, 50, 90, 110, 100).progress.stalled_until = small.view.now + seconds(10);
  small.waiting(2, 1, 50, 90, 3);
  small.view.cause.woken = true;
  EXPECT_FALSE(pauses(small.decide(kName), 1));
}

// After 20 s of work, 180 s lost would be a stretch of 4.6 at least, more than twice that of the new job.
TEST(Aliquot, a_new_job_pauses_nobody_who_would_be_worse_off) {
  SmallView small = with_cost(1);
  small.running(1, {{{0}, 1}}, 50, 90, 20, 20);
  small.arrived(2, 1, 50, 90);
  const Plan plan = small.decide(kName);
  EXPECT_EQ(nullptr, test::change_of(plan, 1));
  EXPECT_EQ(nullptr, test::change_of(plan, 2));
  EXPECT_EQ(small.view.now + seconds(2), plan.wake_at);
}

TEST(Aliquot, pausing_can_be_turned_off) {
  SmallView small = with_cost(1);
  small.running(1, {{{0}, 1}}, 50, 90, 10'000, 10'000);
  small.arrived(2, 1, 50, 90);
  EXPECT_FALSE(pauses(small.decide("ALIQUOT:pause=off"), 1));
}

TEST(Aliquot, a_job_paused_for_long_comes_back_at_the_cost_of_one_that_is_better_off) {
  SmallView small = with_cost(1);
  small.running(1, {{{0}, 1}}, 50, 90, 10'000, 10'000);
  small.paused(2, 1, 50, 90, 4'000, 100);
  small.view.cause.woken = true;
  const Plan plan = small.decide(kName);
  EXPECT_TRUE(pauses(plan, 1));
  EXPECT_EQ((Placement{{{0}, 1}}), placed(plan, 2));
  EXPECT_FALSE(pauses(small.decide("ALIQUOT:urgent=off"), 1));
}

TEST(Aliquot, one_that_serves_a_penalty_is_not_paused_for_a_paused_one) {
  SmallView small = with_cost(1);
  small.running(1, {{{0}, 1}}, 50, 90, 10'000, 10'000).progress.stalled_until =
      small.view.now + seconds(30);
  small.paused(2, 1, 50, 90, 4'000, 100);
  small.view.cause.woken = true;
  EXPECT_FALSE(pauses(small.decide(kName), 1));
}

TEST(Aliquot, what_cannot_move_is_not_paused) {
  SmallView small = with_cost(1);
  small.running(1, {{{0}, 1}}, 50, 90, 10'000, 10'000).demand.movable = false;
  small.arrived(2, 1, 50, 90);
  EXPECT_FALSE(pauses(small.decide(kName), 1));
}

// Each is expected to need 30 s more and gets half its CPU: after 120 s it has had twice that.
TEST(Aliquot, shares_are_worked_out_anew_when_a_job_has_run_twice_as_long_as_expected) {
  SmallView small = with_cost(1);
  small.running(1, {{{0}, 1}}, 100, 10);
  small.running(2, {{{0}, 1}}, 100, 10);
  const Plan plan = small.decide(kName);
  ASSERT_TRUE(plan.wake_at);
  EXPECT_NEAR(120.0, to_seconds(*plan.wake_at - small.view.now), 0.01);
}

TEST(Aliquot, who_gets_all_it_needs_is_left_alone) {
  SmallView small = with_cost(1);
  small.running(1, {{{0}, 1}}, 50, 10);
  small.running(2, {{{0}, 1}}, 50, 10);
  EXPECT_EQ(std::nullopt, small.decide(kName).wake_at);
}

// Two old jobs share a node while another stands idle: moving one costs 60 s and gains thousands.
SmallView two_on_one_node(Duration cost) {
  SmallView small = with_cost(2, cost);
  small.running(1, {{{0}, 1}}, 100, 10, 20'000, 10'000);
  small.running(2, {{{0}, 1}}, 100, 10, 20'000, 10'000);
  AliquotState state;
  state.tokens = 3;
  state.last_rebalance = small.view.now - seconds(60);
  remember(small.view, state);
  small.view.cause.completed = true;
  return small;
}

TEST(Aliquot, a_job_leaves_the_crowded_node_where_that_gains) {
  const SmallView small = two_on_one_node(seconds(60));
  const Plan plan = small.decide(kName);
  EXPECT_EQ((Placement{{{1}, 1}}), placed(plan, 1));
  ClusterView next = small.view;
  next.memory = plan.memory;
  EXPECT_EQ(2, remembered(next).tokens);
  EXPECT_TRUE(small.decide("ALIQUOT:local=off").changes.empty() ||
              placed(small.decide("ALIQUOT:local=off"), 1) == (Placement{{{0}, 1}}));
}

// Searched a second ago: room that comes free now is looked at when the 10 s are over, whatever else has
// been decided meanwhile.
TEST(Aliquot, a_search_that_came_too_soon_is_made_up_for) {
  SmallView small = two_on_one_node(seconds(60));
  AliquotState state = remembered(small.view);
  state.last_rebalance = small.view.now - seconds(1);
  remember(small.view, state);
  const Plan first = small.decide(kName);
  EXPECT_NE((Placement{{{1}, 1}}), placed(first, 1));
  EXPECT_EQ(small.view.now + seconds(9), first.wake_at);
  small.view.cause = {};
  small.view.memory = first.memory;
  small.view.now = small.view.now + seconds(5);
  const Plan second = small.decide(kName);
  EXPECT_NE((Placement{{{1}, 1}}), placed(second, 1));
  EXPECT_EQ(small.view.now + seconds(4), second.wake_at);
  small.view.memory = second.memory;
  small.view.now = small.view.now + seconds(4);
  const Plan third = small.decide(kName);
  EXPECT_EQ((Placement{{{1}, 1}}), placed(third, 1));
  small.view.memory = third.memory;
  EXPECT_FALSE(remembered(small.view).rebalance_deferred);
}

TEST(Aliquot, no_search_is_owed_for_a_job_that_arrives_nor_where_none_is_made) {
  SmallView small = two_on_one_node(seconds(60));
  AliquotState state = remembered(small.view);
  state.last_rebalance = small.view.now - seconds(1);
  remember(small.view, state);
  EXPECT_NE(small.view.now + seconds(9), small.decide("ALIQUOT:local=off").wake_at);
  small.view.cause = {};
  small.arrived(3, 1, 1, 1);
  EXPECT_NE(small.view.now + seconds(9), small.decide(kName).wake_at);
}

TEST(Aliquot, it_stays_where_moving_costs_more_than_it_gains) {
  EXPECT_NE((Placement{{{1}, 1}}), placed(two_on_one_node(seconds(20'000)).decide(kName), 1));
}

TEST(Aliquot, without_a_token_nobody_moves) {
  SmallView small = two_on_one_node(seconds(60));
  AliquotState state = remembered(small.view);
  state.tokens = 0;
  remember(small.view, state);
  EXPECT_NE((Placement{{{1}, 1}}), placed(small.decide(kName), 1));
  EXPECT_EQ((Placement{{{1}, 1}}), placed(small.decide("ALIQUOT:budget=off"), 1));
}

TEST(Aliquot, where_an_action_costs_nothing_no_token_is_needed_and_all_are_packed_anew) {
  SmallView small = two_on_one_node(Duration{});
  AliquotState state = remembered(small.view);
  state.tokens = 0;
  state.last_repack = small.view.now - seconds(600);
  remember(small.view, state);
  const auto apart = [&](const char* name) {
    const Plan plan = small.decide(name);
    return placed(plan, 1) == Placement{{{1}, 1}} || placed(plan, 2) == Placement{{{1}, 1}};
  };
  EXPECT_TRUE(apart("ALIQUOT:repack=off"));
  EXPECT_TRUE(apart("ALIQUOT:local=off"));
  EXPECT_FALSE(apart("ALIQUOT:local=off,repack=off"));
  small.view.costs.restart = seconds(60);
  EXPECT_FALSE(apart("ALIQUOT:repack=on"));
}

// A paused job tries again by itself, also one that a repacking left out: on a cluster where nothing
// happens, no other event would resume it.
TEST(Aliquot, whoever_is_paused_has_an_instant_to_come_back) {
  int repacked = 0;
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    ClusterView view = test::random_view(seed, {8, 14, seed % 2 == 0});
    view.costs.restart = Duration{};
    remember(view, {});
    const auto policy = make_policy("ALIQUOT:repack=on");
    const Plan plan = (*policy)->decide(view);
    ClusterView next = view;
    next.memory = plan.memory;
    repacked += remembered(next).last_repack == view.now ? 1 : 0;
    for (const Change& change : plan.changes) {
      if (!change.placement.empty() || view.jobs.at(change.job).held) continue;
      ASSERT_TRUE(plan.memory.retries.contains(change.job))
          << "seed " << seed << ", job " << change.job.raw;
    }
  }
  EXPECT_GT(repacked, 100);
}

TEST(Aliquot, a_move_is_charged_what_moves_cost) {
  SmallView small = two_on_one_node(seconds(20'000));
  small.view.costs.move = seconds(2);
  EXPECT_EQ((Placement{{{1}, 1}}), placed(small.decide(kName), 1));
}

TEST(Aliquot, why_names_the_job_that_another_was_paused_for_and_the_gain) {
  SmallView small = with_cost(1);
  small.running(1, {{{0}, 1}}, 50, 90, 10'000, 10'000);
  small.arrived(2, 1, 50, 90);
  const Plan plan = small.decide(kName);
  Job& paused = small.view.jobs.at({1});
  paused.phase = Phase::paused;
  paused.placement.clear();
  paused.yield = {};
  Job& started = small.view.jobs.at({2});
  started.phase = Phase::running;
  started.placement = {{{0}, 1}};
  started.yield = kFullYield;
  small.view.memory = plan.memory;
  const Explanation why = small.explain(kName, 1);
  EXPECT_EQ(Reason::memory, why.reason);
  EXPECT_NE(std::string::npos, why.text.find("paused to let job 2 in")) << why.text;
  EXPECT_NE(std::string::npos, why.text.find("fell from 3.00 to 1.00")) << why.text;
  ASSERT_FALSE(why.held_by.empty());
  EXPECT_EQ(JobId{2}, why.held_by.front());
}

}  // namespace
}  // namespace aliquot
