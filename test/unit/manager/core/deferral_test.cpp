// Jobs that may not start yet: what they wait for, when they arrive, and when they never can.
#include "manager/core/deferral.hpp"

#include <gtest/gtest.h>

#include "manager/store/state_codec.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

Submission after(std::vector<Dependency> dependencies) {
  Submission job = submission(1, 1000, 100);
  job.start.after = std::move(dependencies);
  return job;
}
Submission named(const char* name, bool singleton, std::uint32_t uid = 0) {
  Submission job = submission(1, 1000, 100);
  job.name = name;
  job.uid = uid;
  job.start.singleton = singleton;
  return job;
}

struct a_deferred_job : testing::Test {
  void submit(std::uint64_t id, Submission job, std::int64_t second = 0) {
    (void)world.at(second, {Submitted{{id}, std::move(job)}});
  }
  void start(std::uint64_t id, std::int64_t second = 0) {
    world.will_decide({{{id}, {{{0}, 1}}, kFullYield}});
    (void)world.complete(world.at(second, {Submitted{{id}, submission(1, 1000, 100)}}));
  }
  Step end(std::uint64_t id, int exit_code, std::int64_t second) {
    const std::uint32_t incarnation = world.vm(id, 0).incarnation;
    Step step = world.at(second, {TaskEnded{{id}, {0, 1}, incarnation, exit_code, "", 0}});
    return step;
  }
  Step cancel(std::uint64_t id, std::int64_t second) {
    return world.at(second, {Cancelled{{id}, JobResult::cancelled, "by uid 0"}});
  }
  [[nodiscard]] const Cluster& cluster() const { return world.scheduler().cluster(); }
  [[nodiscard]] bool waits(std::uint64_t id) const {
    const JobRecord* const record = cluster().record({id});
    return record && record->deferral.any() && cluster().view().jobs.at({id}).held;
  }
  [[nodiscard]] bool may_start(std::uint64_t id) const {
    return cluster().view().jobs.contains({id}) && !cluster().view().jobs.at({id}).held;
  }

  ScriptedWorld world{{test::node(0, 8, 4000)}};
};

TEST_F(a_deferred_job, waits_until_another_has_completed_and_arrives_then) {
  start(1);
  const Step submitted = world.at(5, {Submitted{{2}, after({{{1}, Awaited::success}})}});
  EXPECT_FALSE(submitted.decision) << "no policy is asked about it";
  EXPECT_TRUE(waits(2));
  const Step step = end(1, 0, 100);
  EXPECT_TRUE(may_start(2));
  ASSERT_TRUE(step.decision);
  EXPECT_EQ(step.decision->cause.arrived, (std::vector<JobId>{{2}}));
  EXPECT_EQ(world.job(2).submitted, Instant{} + seconds(100)) << "the time before does not count";
}

TEST_F(a_deferred_job, whose_dependency_cannot_be_met_is_cancelled_and_says_why) {
  start(1);
  submit(2, after({{{1}, Awaited::success}}));
  const Step step = world.at(9, {TaskEnded{{1}, {0, 1}, world.vm(1, 0).incarnation, 3, "", 0}});
  (void)world.complete(step);
  EXPECT_EQ(cluster().record({2}), nullptr);
}

TEST_F(a_deferred_job, takes_the_whole_chain_behind_it_along) {
  start(1);
  for (std::uint64_t id = 2; id <= 20'000; ++id) submit(id, after({{{id - 1}, Awaited::success}}));
  const Step step = cancel(2, 10);
  ASSERT_EQ(step.ended.size(), 19'999U);
  EXPECT_EQ(step.ended[1].job, JobId{3});
  EXPECT_EQ(step.ended[1].result, JobResult::cancelled);
  EXPECT_EQ(step.ended[1].note,
            "job 2 has ended and did not complete, which it was to wait for; submit it anew without that");
  EXPECT_EQ(cluster().view().jobs.size(), 1U);
}

TEST_F(a_deferred_job, waits_for_all_that_it_depends_on) {
  start(1);
  start(2);
  submit(3, after({{{1}, Awaited::end}, {{2}, Awaited::failure}}));
  (void)world.complete(end(1, 1, 10));
  EXPECT_TRUE(waits(3));
  (void)world.complete(end(2, 1, 20));
  EXPECT_TRUE(may_start(3));
}

TEST_F(a_deferred_job, that_waits_for_a_failure_is_cancelled_by_a_success) {
  start(1);
  submit(2, after({{{1}, Awaited::failure}}));
  const Step step = end(1, 0, 10);
  ASSERT_EQ(step.ended.size(), 2U);
  EXPECT_EQ(step.ended[1].job, JobId{2});
}

TEST_F(a_deferred_job, that_waits_for_a_start_goes_on_when_it_has_started_or_ended) {
  submit(1, submission(1, 1000, 100));
  submit(2, submission(1, 1000, 100));
  submit(3, after({{{1}, Awaited::start}}));
  submit(4, after({{{2}, Awaited::start}}));
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  (void)world.complete(world.at(5, {HoldChanged{{2}, true}}));
  EXPECT_TRUE(may_start(3)) << "job 1 has started";
  EXPECT_TRUE(waits(4));
  (void)cancel(2, 9);
  EXPECT_TRUE(may_start(4));
  submit(5, after({{{1}, Awaited::start}}), 10);
  EXPECT_TRUE(may_start(5)) << "it runs already";
}

TEST_F(a_deferred_job, learns_what_ends_in_the_step_in_which_it_is_submitted) {
  start(1);
  start(2);
  const auto ends = [&](std::uint64_t id, int code) {
    return TaskEnded{{id}, {0, 1}, world.vm(id, 0).incarnation, code, "", 0};
  };
  const Step step = world.at(7, {ends(1, 0), Cancelled{{9}, JobResult::cancelled, ""},
                                 Submitted{{3}, after({{{1}, Awaited::success}})},
                                 Submitted{{4}, after({{{1}, Awaited::failure}})}});
  EXPECT_TRUE(may_start(3));
  EXPECT_EQ(cluster().record({4}), nullptr);
  ASSERT_EQ(step.ended.size(), 2U);
  EXPECT_EQ(step.ended[1].job, JobId{4});
}

TEST_F(a_deferred_job, begins_at_its_time) {
  Submission job = submission(1, 1000, 100);
  job.start.begin = Instant{} + seconds(60);
  submit(1, job);
  EXPECT_TRUE(waits(1));
  EXPECT_EQ(world.scheduler().next_due(), Instant{} + seconds(60));
  (void)world.at(59);
  EXPECT_TRUE(waits(1));
  (void)world.at(60);
  EXPECT_TRUE(may_start(1));
  EXPECT_EQ(world.scheduler().next_due(), kNever);
  job.start.begin = Instant{} + seconds(30);
  submit(2, job, 61);
  EXPECT_TRUE(may_start(2)) << "that time is past";
}

TEST_F(a_deferred_job, of_a_name_runs_alone_and_the_oldest_first) {
  submit(1, named("sync", false));
  submit(2, named("sync", true));
  submit(3, named("sync", true));
  submit(4, named("sync", true, 1000));
  submit(5, named("other", true));
  EXPECT_TRUE(waits(2) && waits(3));
  EXPECT_TRUE(may_start(4)) << "of another user";
  EXPECT_TRUE(may_start(5));
  (void)cancel(1, 5);
  EXPECT_TRUE(may_start(2) && waits(3));
  (void)cancel(2, 6);
  EXPECT_TRUE(may_start(3));
}

TEST_F(a_deferred_job, may_be_held_besides) {
  submit(1, submission(1, 1000, 100));
  submit(2, after({{{1}, Awaited::end}}));
  (void)world.at(1, {HoldChanged{{2}, true}});
  const Step step = cancel(1, 5);
  EXPECT_FALSE(cluster().record({2})->deferral.any());
  EXPECT_FALSE(may_start(2));
  EXPECT_TRUE(!step.decision || step.decision->cause.arrived.empty());
  (void)world.at(6, {HoldChanged{{2}, false}});
  EXPECT_TRUE(may_start(2));
}

TEST_F(a_deferred_job, cannot_be_released_before_its_time) {
  submit(1, submission(1, 1000, 100));
  submit(2, after({{{1}, Awaited::end}}));
  (void)world.at(1, {HoldChanged{{2}, false}});
  EXPECT_TRUE(waits(2));
}

TEST_F(a_deferred_job, is_forgotten_by_what_it_waited_for_when_it_is_cancelled) {
  submit(1, named("sync", false));
  Submission job = named("sync", true);
  job.start = {{{{1}, Awaited::end}}, true, Instant{} + seconds(60)};
  submit(2, job);
  (void)cancel(2, 5);
  EXPECT_EQ(world.scheduler().next_due(), kNever);
  (void)cancel(1, 6);
  EXPECT_TRUE(cluster().view().jobs.empty());
}

TEST_F(a_deferred_job, survives_in_a_stored_state) {
  submit(1, named("sync", false));
  Submission job = named("sync", true);
  job.start = {{{{1}, Awaited::end}}, true, Instant{} + seconds(60)};
  submit(2, job);
  auto stored = decode_state(encode_state(cluster().state()));
  ASSERT_TRUE(stored) << stored.error().message;
  ClusterState again(std::move(*stored));
  EXPECT_EQ(again.core.records.at({2}).deferral, cluster().record({2})->deferral);
  EXPECT_EQ(next_begin(again), Instant{} + seconds(60));
  EXPECT_EQ(again.deferred.dependents.at({1}), (std::set<JobId>{{2}}));
  EXPECT_EQ(again.deferred.named.at({0, "sync"}), (std::set<JobId>{{1}, {2}}));
}

}  // namespace
}  // namespace aliquot
