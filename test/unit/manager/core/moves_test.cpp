// How often VMs are moved, and how many of them at a time.
#include "manager/core/moves.hpp"

#include <gtest/gtest.h>

#include "manager/core/drain.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;
using test::submission;

constexpr std::int64_t kFirst = 100;  // seconds of the first cool-down

// Job 1 runs on n0.
class moves : public testing::Test {
 protected:
  explicit moves(MoveTerms terms = {0, seconds(kFirst)}, std::uint32_t tasks = 1) {
    world.will_decide({{{1}, {{{0}, tasks}}, kFullYield}});
    world.complete(world.at(0, {Submitted{{1}, submission(tasks, 100, 100)}, MoveTermsChanged{terms}}));
  }
  // What is done if the policy wants all of job 1 there.
  std::string to(std::uint32_t node, std::int64_t second, std::uint32_t tasks = 1) {
    world.will_decide({{{1}, {{{node}, tasks}}, kFullYield}});
    const std::string done = world.complete(world.at(second, {kick()}));
    return done;
  }
  // Calls for a decision.
  static Event kick() { return ModeChanged{Mode::automatic}; }
  [[nodiscard]] const CoolDown& cool_down() const {
    return world.scheduler().cluster().record({1})->cool_down;
  }
  [[nodiscard]] bool cools_at(std::int64_t second) {
    world.at(second);
    return world.job(1).pinned;
  }

  ScriptedWorld world{{node(0), node(1), node(2)}};
};

TEST_F(moves, a_job_that_was_moved_stays_until_its_cool_down_ends) {
  EXPECT_EQ(to(1, 10), "migrate 1.0 n1;");
  EXPECT_TRUE(world.job(1).cools_down);
  EXPECT_TRUE(cools_at(10 + kFirst - 1));
  EXPECT_FALSE(cools_at(10 + kFirst));
  EXPECT_FALSE(world.job(1).cools_down);
}

TEST_F(moves, a_plan_that_moves_it_earlier_is_refused) {
  (void)to(1, 10);
  EXPECT_EQ(to(2, 50), "");
  EXPECT_EQ(world.violations(), 1U);
}

TEST_F(moves, each_move_in_a_row_doubles_the_cool_down_up_to_64_times_the_first) {
  std::int64_t at = 10;
  for (std::uint32_t move = 1; move <= 9; ++move) {
    EXPECT_EQ(to(move % 2 + 1, at), move % 2 == 1 ? "migrate 1.0 n2;" : "migrate 1.0 n1;");
    const std::int64_t length = kFirst << (std::min(move, 7U) - 1);
    EXPECT_EQ(cool_down().until, Instant{} + seconds(at + length)) << move;
    EXPECT_TRUE(cools_at(at + length - 1)) << move;
    EXPECT_FALSE(cools_at(at + length)) << move;
    at += length;
  }
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(moves, after_a_quiet_time_the_next_is_the_first_again) {
  (void)to(1, 10);
  (void)to(2, 10 + kFirst + 50);
  EXPECT_EQ(cool_down().moves, 2U);
  const std::int64_t end = 10 + kFirst + 50 + 2 * kFirst;
  (void)to(1, end + 2 * kFirst);
  EXPECT_EQ(cool_down().moves, 1U);
  EXPECT_EQ(cool_down().until, Instant{} + seconds(end + 3 * kFirst));
}

TEST_F(moves, a_cool_down_begins_anew_when_the_vm_arrives) {
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}});
  const Step step = world.at(10, {kick()});
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_TRUE(cools_at(10 + 2 * kFirst)) << "it is still on its way";
  (void)world.at(300, {Outcome{head(step.actions[0]).op, {1}, {0, 1}, {}, {}, {}}});
  EXPECT_EQ(cool_down().until, Instant{} + seconds(300 + kFirst));
  EXPECT_EQ(cool_down().moves, 1U);
}

TEST_F(moves, a_job_whose_node_is_drained_or_silent_may_leave) {
  (void)to(1, 10);
  world.at(20, {ServiceChanged{{1}, NodeService::draining, Drain{}}});
  EXPECT_FALSE(world.job(1).pinned);
  world.at(30, {ServiceChanged{{1}, NodeService::in_service, {}}});
  EXPECT_TRUE(world.job(1).pinned);
  world.at(40, {NodeChanged{{1}, NodeState::suspect, "silent"}});
  EXPECT_FALSE(world.job(1).cools_down) << "it is pinned for another reason";
}

TEST_F(moves, a_drain_that_is_only_asked_about_finds_it_another_place) {
  (void)to(1, 10);
  const auto policy = *make_policy("GREEDY");
  const auto steps = drain_steps(world.scheduler().cluster().view(), *policy, {1}, Drain{}, {}, 10);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].turn, DrainTurn::move) << steps[0].why;
}

TEST_F(moves, a_job_that_is_held_may_leave) {
  (void)to(1, 10);
  world.at(20, {HoldChanged{{1}, true}});
  EXPECT_FALSE(world.job(1).pinned);
  world.at(30, {HoldChanged{{1}, false}});
  EXPECT_TRUE(world.job(1).pinned);
}

TEST_F(moves, a_node_that_has_shrunk_does_not_wait_for_a_cool_down) {
  (void)to(1, 10);
  world.at(20, {OthersChanged{{1}, {1, mebibytes(950), {}}}});
  EXPECT_EQ(world.job(1).phase, Phase::paused);
}

TEST_F(moves, without_cool_downs_none_goes_on) {
  (void)to(1, 10);
  world.at(20, {MoveTermsChanged{}});
  EXPECT_FALSE(world.job(1).pinned);
  EXPECT_EQ(to(2, 30), "migrate 1.0 n2;");
  EXPECT_FALSE(world.job(1).pinned);
  EXPECT_EQ(cool_down(), CoolDown{});
}

class a_budget : public moves {
 protected:
  a_budget() : moves({2, {}}, 5) {}
};

TEST_F(a_budget, of_moves_bounds_those_of_the_whole_cluster_at_a_time) {
  world.will_decide({{{1}, {{{1}, 5}}, kFullYield}});
  Step step = world.at(10, {kick()});
  std::size_t moved = 0;
  for (int turn = 0; turn < 5 && !step.actions.empty(); ++turn) {
    std::vector<Event> outcomes;
    std::uint32_t count = 0;
    for (const Action& action : step.actions) {
      count += head(action).tasks.count;
      outcomes.emplace_back(Outcome{head(action).op, {1}, head(action).tasks, {}, {}, {}});
    }
    EXPECT_EQ(count, moved < 4 ? 2U : 1U);
    moved += count;
    step = world.at(11 + turn, std::move(outcomes));
  }
  EXPECT_EQ(moved, 5U);
}

class both : public moves {
 protected:
  both() : moves({1, seconds(kFirst)}, 3) {}
};

TEST_F(both, all_vms_of_a_new_placement_follow_and_count_as_one_move) {
  EXPECT_EQ(to(1, 10, 3), "migrate 1.0 n1;migrate 1.1 n1;migrate 1.2 n1;");
  EXPECT_EQ(cool_down().moves, 1U);
}

}  // namespace
}  // namespace aliquot
