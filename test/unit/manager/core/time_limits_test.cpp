// Limits of jobs: of their virtual time and of the time since they first ran, and the warning before.
#include "manager/core/time_limits.hpp"

#include <gtest/gtest.h>

#include "manager/store/state_codec.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

Submission limited(std::optional<Duration> wall, std::optional<Duration> warn = {}) {
  Submission job = submission(2, 1000, 100);
  job.wall_limit = wall;
  job.warn = warn;
  return job;
}

struct a_limited_job : testing::Test {
  void start(Submission job, Yield yield = kFullYield) {
    world.will_decide({{{1}, {{{0}, 2}}, yield}});
    (void)world.complete(world.at(10, {Submitted{{1}, std::move(job)}}));
  }
  // What is done about it then.
  std::string actions_at(std::int64_t second) { return world.complete(world.at(second)); }
  Step end(std::int64_t second, std::uint32_t task, int exit_code) {
    return world.at(second, {TaskEnded{{1}, {task, 1}, 1, exit_code, "", 0}});
  }
  void pause(std::int64_t second) {
    world.will_decide({{{1}, {}, {}}});
    (void)world.complete(world.at(second, {Woken{}}));
  }
  void resume(std::int64_t second) {
    world.will_decide({{{1}, {{{0}, 2}}, kFullYield}});
    (void)world.complete(world.at(second, {Woken{}}));
  }
  [[nodiscard]] Instant due() const { return world.scheduler().cluster().next_timer(); }
  [[nodiscard]] bool is_there() const { return world.scheduler().cluster().view().jobs.contains({1}); }

  ScriptedWorld world{{test::node(0, 8, 4000)}};
};

Instant at(std::int64_t second) { return Instant{} + seconds(second); }

TEST_F(a_limited_job, leaves_when_so_much_time_has_passed_since_it_first_ran) {
  start(limited(seconds(100)), Yield{100'000});
  EXPECT_EQ(due(), at(110)) << "however little it is given";
  EXPECT_EQ(actions_at(109), "");
  const Step step = world.at(110);
  EXPECT_EQ(world.complete(step), "destroy 1.0+2;");
  EXPECT_FALSE(is_there());
}

TEST_F(a_limited_job, has_its_pauses_counted) {
  start(limited(seconds(100)));
  pause(20);
  EXPECT_EQ(due(), at(110));
  (void)world.at(110);
  EXPECT_FALSE(is_there());
}

TEST_F(a_limited_job, has_no_limit_before_it_has_run) {
  (void)world.at(10, {Submitted{{1}, limited(seconds(100), seconds(10))}});
  EXPECT_EQ(due(), kNever);
}

TEST_F(a_limited_job, is_warned_once_and_then_ended) {
  start(limited(seconds(100), seconds(30)));
  EXPECT_EQ(due(), at(80));
  EXPECT_EQ(actions_at(80), "notify 1.0+2;");
  EXPECT_EQ(actions_at(81), "");
  EXPECT_EQ(due(), at(110));
  (void)world.at(110);
  EXPECT_FALSE(is_there());
}

TEST_F(a_limited_job, is_warned_of_the_limit_of_its_virtual_time) {
  Submission job = limited({}, seconds(30));
  job.time_limit = seconds(100);
  start(job, Yield{500'000});
  EXPECT_EQ(due(), at(150)) << "70 s of 100 at half speed";
  EXPECT_EQ(actions_at(150), "notify 1.0+2;");
  EXPECT_EQ(due(), at(210));
}

TEST_F(a_limited_job, that_is_paused_is_warned_when_it_runs_again) {
  start(limited(seconds(100), seconds(30)));
  pause(70);
  EXPECT_EQ(actions_at(80), "");
  resume(90);
  EXPECT_FALSE(world.vm(1, 0).to_warn) << "as soon as it ran";
}

TEST_F(a_limited_job, that_fails_after_its_warning_has_timed_out) {
  start(limited(seconds(100), seconds(30)));
  (void)actions_at(80);
  (void)end(81, 0, 143);
  const JobRecord& record = *world.scheduler().cluster().record({1});
  EXPECT_EQ(record.result, JobResult::timed_out);
  EXPECT_EQ(record.note, "task 0 ended with exit status 143, after it was told that a limit was near");
}

TEST_F(a_limited_job, that_ends_well_after_its_warning_has_completed) {
  start(limited(seconds(100), seconds(30)));
  (void)actions_at(80);
  (void)end(81, 0, 0);
  const Step step = end(82, 1, 0);
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::completed);
}

TEST_F(a_limited_job, keeps_its_warning_in_the_store) {
  start(limited(seconds(100), seconds(30)));
  (void)world.at(80);
  const CoreState& state = world.scheduler().cluster().state();
  EXPECT_TRUE(state.records.at({1}).warned);
  const auto read = decode_state(encode_state(state));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->records.at({1}).warned);
}

}  // namespace
}  // namespace aliquot
