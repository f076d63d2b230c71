// Arrays: how many members are made and when, what ends them, and how the array itself ends.
#include <gtest/gtest.h>

#include "manager/core/array_transitions.hpp"
#include "manager/core/recorded.hpp"
#include "manager/store/state_codec.hpp"
#include "monitor/codec.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

Submission array_of(std::uint32_t members, std::uint32_t at_once) {
  Submission job = submission(1, 1000, 100);
  job.array = ArrayTerms{{{0, members, 1}}, at_once};
  return job;
}

struct an_array : testing::Test {
  Step submit(std::uint64_t id, Submission job, std::int64_t second = 0) {
    return world.at(second, {Submitted{{id}, std::move(job)}});
  }
  Step cancel(std::uint64_t id, IndexSet indices, std::int64_t second) {
    return world.at(second, {Cancelled{{id}, JobResult::cancelled, "by uid 0", std::move(indices)}});
  }
  // The members of these jobs run on node 0 and end.
  Step run(std::vector<std::uint64_t> ids, int exit_code, std::int64_t second) {
    std::vector<Change> changes;
    for (const std::uint64_t id : ids) changes.push_back({{id}, {{{0}, 1}}, kFullYield});
    world.will_decide(std::move(changes));
    (void)world.complete(world.at(second, {Submitted{{spare++}, submission(1, 1000, 100)}}));
    std::vector<Event> ends;
    for (const std::uint64_t id : ids)
      ends.emplace_back(TaskEnded{{id}, {0, 1}, world.vm(id, 0).incarnation, exit_code, "", 0});
    Step step = world.at(second, std::move(ends));
    outcomes.insert(outcomes.end(), step.ended.begin(), step.ended.end());
    return step;
  }
  [[nodiscard]] const Cluster& cluster() const { return world.scheduler().cluster(); }
  [[nodiscard]] const ArrayProgress& progress(std::uint64_t id) const {
    return *cluster().record({id})->array;
  }
  [[nodiscard]] std::vector<std::uint32_t> standing(std::uint64_t id) const {
    std::vector<std::uint32_t> indices;
    for (const StandingMember& member : progress(id).standing) indices.push_back(member.index);
    return indices;
  }
  [[nodiscard]] std::uint64_t member(std::uint64_t id, std::uint32_t index) const {
    for (const StandingMember& one : progress(id).standing)
      if (one.index == index) return one.job.raw;
    return 0;
  }
  [[nodiscard]] const JobOutcome* outcome(std::uint64_t id) const {
    const auto found = std::ranges::find(outcomes, JobId{id}, &JobOutcome::job);
    return found == outcomes.end() ? nullptr : &*found;
  }

  ScriptedWorld world{{test::node(0, 64, 64'000)}};
  std::vector<JobOutcome> outcomes;
  std::uint64_t spare = 1000;
};

using Indices = std::vector<std::uint32_t>;

TEST_F(an_array, makes_as_many_members_as_may_stand_in_the_step_of_its_submission) {
  const Step step = submit(7, array_of(12, 3), 5);
  ASSERT_EQ(step.events.size(), 4U);
  const auto& second = std::get<Submitted>(step.events[2]);
  EXPECT_EQ(second.job, JobId{9});
  EXPECT_EQ(second.submission->member, (ArrayMember{{7}, 1}));
  EXPECT_FALSE(second.submission->array);
  EXPECT_EQ(second.submission->data.env,
            (std::vector<std::string>{"ALIQUOT_ARRAY_JOB=7", "SLURM_ARRAY_JOB_ID=7",
                                      "ALIQUOT_ARRAY_INDEX=1", "SLURM_ARRAY_TASK_ID=1"}));
  ASSERT_TRUE(step.decision);
  EXPECT_EQ(step.decision->cause.arrived, (std::vector<JobId>{{8}, {9}, {10}}))
      << "not of the array itself";
  EXPECT_TRUE(world.job(7).held);
  EXPECT_EQ(standing(7), (Indices{0, 1, 2}));
  EXPECT_EQ(world.scheduler().next_due(), kNever);
}

TEST_F(an_array, makes_the_next_member_in_the_step_in_which_one_ends) {
  (void)submit(7, array_of(4, 2));
  const Step step = run({member(7, 0)}, 0, 10);
  EXPECT_EQ(standing(7), (Indices{1, 2}));
  EXPECT_EQ(world.job(member(7, 2)).submitted, Instant{} + seconds(10))
      << "its release is when it was made";
  const auto& made = std::get<Submitted>(step.events.back());
  EXPECT_EQ(made.submission->member->index, 2U);
}

TEST_F(an_array, completes_with_its_last_member) {
  (void)submit(7, array_of(3, 2));
  (void)run({member(7, 0), member(7, 1)}, 0, 10);
  ASSERT_NE(cluster().record({7}), nullptr);
  (void)run({member(7, 2)}, 0, 20);
  ASSERT_NE(outcome(7), nullptr);
  EXPECT_EQ(outcome(7)->result, JobResult::completed);
  EXPECT_EQ(outcome(7)->note, "");
  EXPECT_EQ(outcome(7)->started, Instant{} + seconds(10)) << "with its first member";
  EXPECT_EQ(cluster().record({7}), nullptr);
}

TEST_F(an_array, of_which_members_did_not_complete_has_failed_and_says_how_many) {
  (void)submit(7, array_of(4, 4));
  const std::uint64_t last = member(7, 3);
  (void)run({member(7, 0)}, 0, 10);
  (void)run({member(7, 1), member(7, 2)}, 3, 20);
  const Step step = cancel(last, {}, 30);
  ASSERT_EQ(step.ended.size(), 2U);
  EXPECT_EQ(step.ended[1].job, JobId{7});
  EXPECT_EQ(step.ended[1].result, JobResult::failed);
  EXPECT_EQ(step.ended[1].note, "3 of 4 members did not complete: 2 failed, 1 cancelled");
}

TEST_F(an_array, may_be_cancelled_in_part_also_where_no_member_was_made) {
  (void)submit(7, array_of(10, 2));
  const Step step = cancel(7, {{1, 7, 1}}, 10);
  ASSERT_EQ(step.ended.size(), 1U) << "of those that are meant one stands";
  EXPECT_EQ(step.ended[0].note, "by uid 0");
  EXPECT_EQ(standing(7), (Indices{0, 8}));
  EXPECT_EQ(progress(7).ended.cancelled, 7U);
  (void)cancel(7, {{9, 1, 1}}, 20);
  (void)run({member(7, 0), member(7, 8)}, 0, 30);
  ASSERT_NE(outcome(7), nullptr);
  EXPECT_EQ(outcome(7)->note, "8 of 10 members did not complete: 8 cancelled");
}

TEST_F(an_array, that_is_cancelled_ends_when_its_members_are_gone) {
  (void)submit(7, array_of(100, 2));
  world.will_decide({{{member(7, 0)}, {{{0}, 1}}, kFullYield}});
  (void)world.complete(submit(500, submission(1, 1000, 100), 5));
  const Step step = cancel(7, {}, 10);
  EXPECT_EQ(step.ended.size(), 1U) << "the other one runs";
  EXPECT_EQ(cluster().record({7})->note, "by uid 0");
  (void)world.complete(step);
  EXPECT_EQ(cluster().record({7}), nullptr);
  EXPECT_EQ(cluster().view().jobs.size(), 1U);
}

TEST_F(an_array, that_is_held_makes_no_members_until_it_is_released) {
  Submission job = array_of(4, 2);
  job.hold = true;
  (void)submit(7, job);
  EXPECT_TRUE(standing(7).empty());
  (void)world.at(10, {HoldChanged{{7}, false}});
  EXPECT_EQ(standing(7), (Indices{0, 1}));
  EXPECT_FALSE(world.job(member(7, 0)).held);
  EXPECT_TRUE(world.job(7).held) << "no policy places it";
  (void)world.at(20, {HoldChanged{{7}, true}});
  (void)run({member(7, 0)}, 0, 30);
  EXPECT_EQ(standing(7), (Indices{1}));
}

TEST_F(an_array, makes_no_members_before_what_it_waits_for_has_come) {
  (void)submit(1, submission(1, 1000, 100));
  Submission job = array_of(4, 2);
  job.start = {{{{1}, Awaited::success}}, false, Instant{} + seconds(60)};
  (void)submit(2, job);
  (void)run({1}, 0, 10);
  EXPECT_TRUE(standing(2).empty());
  EXPECT_EQ(world.scheduler().next_due(), Instant{} + seconds(60));
  (void)world.at(60);
  EXPECT_EQ(standing(2), (Indices{0, 1}));
  EXPECT_FALSE(cluster().record({member(2, 0)})->submission->start.any());
}

TEST_F(an_array, that_waits_for_what_cannot_be_is_cancelled) {
  (void)submit(1, submission(1, 1000, 100));
  Submission job = array_of(4, 2);
  job.start.after = {{{1}, Awaited::success}};
  (void)submit(2, job);
  const Step step = cancel(1, {}, 10);
  ASSERT_EQ(step.ended.size(), 2U);
  EXPECT_EQ(step.ended[1].job, JobId{2});
  EXPECT_EQ(step.ended[1].result, JobResult::cancelled);
}

TEST_F(an_array, is_awaited_by_others_to_its_end) {
  (void)submit(7, array_of(2, 1));
  Submission next = submission(1, 1000, 100);
  next.start.after = {{{7}, Awaited::success}};
  (void)submit(50, next);
  (void)run({member(7, 0)}, 0, 10);
  EXPECT_TRUE(cluster().record({50})->deferral.any());
  (void)run({member(7, 1)}, 0, 20);
  EXPECT_FALSE(cluster().record({50})->deferral.any());
}

Submission after_member(std::uint32_t index, Awaited what) {
  Submission job = submission(1, 1000, 100);
  job.start.after = {{{7}, what, index}};
  return job;
}

TEST_F(an_array, has_members_that_are_awaited_before_they_are_made) {
  (void)submit(7, array_of(4, 2));
  (void)submit(50, after_member(0, Awaited::success));  // stands
  (void)submit(51, after_member(3, Awaited::success));  // is to come
  (void)submit(52, after_member(3, Awaited::start));
  EXPECT_EQ(cluster().record({50})->deferral.after, (std::vector<Dependency>{{{member(7, 0)}}}));
  EXPECT_EQ(cluster().record({51})->deferral.after, (std::vector<Dependency>{{{7}, Awaited::success, 3}}));
  (void)run({member(7, 0), member(7, 1)}, 0, 10);
  EXPECT_FALSE(cluster().record({50})->deferral.any());
  const std::uint64_t last = member(7, 3);
  EXPECT_EQ(cluster().record({51})->deferral.after, (std::vector<Dependency>{{{last}}}));
  (void)run({last}, 0, 20);
  EXPECT_FALSE(cluster().record({51})->deferral.any());
  EXPECT_FALSE(cluster().record({52})->deferral.any());
}

TEST_F(an_array, of_which_a_member_has_ended_fulfils_what_is_awaited_of_that) {
  (void)submit(7, array_of(3, 1));
  (void)run({member(7, 0)}, 0, 10);
  (void)submit(50, after_member(0, Awaited::success), 20);
  EXPECT_FALSE(cluster().record({50})->deferral.any()) << "otherwise it would not have been accepted";
}

TEST_F(an_array, whose_member_will_not_be_made_or_fails_takes_those_along_that_wait_for_it) {
  (void)submit(7, array_of(5, 1));
  (void)submit(50, after_member(0, Awaited::success));
  (void)submit(51, after_member(3, Awaited::success));
  (void)submit(52, after_member(3, Awaited::end));
  (void)submit(53, after_member(4, Awaited::success));
  const Step step = cancel(7, {{3, 1, 1}}, 10);
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].job, JobId{51});
  EXPECT_TRUE(step.ended[0].note.starts_with("member 3 of array 7 has ended and did not complete"))
      << step.ended[0].note;
  EXPECT_FALSE(cluster().record({52})->deferral.any());
  (void)run({member(7, 0)}, 3, 20);
  EXPECT_NE(outcome(50), nullptr);
  const Step all = cancel(7, {}, 30);
  EXPECT_NE(std::ranges::find(all.ended, JobId{53}, &JobOutcome::job), all.ended.end());
}

TEST_F(an_array, that_never_makes_members_takes_those_along_that_wait_for_one) {
  (void)submit(1, submission(1, 1000, 100));
  Submission waits = array_of(3, 1);
  waits.start.after = {{{1}, Awaited::success}};
  (void)submit(7, waits);
  (void)submit(50, after_member(2, Awaited::success));
  const Step step = cancel(1, {}, 10);
  EXPECT_NE(std::ranges::find(step.ended, JobId{7}, &JobOutcome::job), step.ended.end());
  EXPECT_NE(std::ranges::find(step.ended, JobId{50}, &JobOutcome::job), step.ended.end());
}

TEST_F(an_array, whose_member_ends_in_the_step_in_which_it_is_awaited_is_told_of) {
  (void)submit(7, array_of(1, 1));
  const std::uint64_t only = member(7, 0);
  const Step step = world.at(10, {Cancelled{{only}, JobResult::cancelled, "by uid 0", {}},
                                  Submitted{{50}, after_member(0, Awaited::success)}});
  EXPECT_NE(std::ranges::find(step.ended, JobId{50}, &JobOutcome::job), step.ended.end());
}

TEST_F(an_array, of_which_all_may_stand_has_a_thousand_at_most_and_no_more_are_made_in_a_step) {
  (void)submit(7, array_of(3000, 0));
  EXPECT_EQ(standing(7).size(), 1000U);
  const Step two = world.at(1, {Submitted{{9001}, array_of(600, 0)}, Submitted{{9002}, array_of(600, 0)}});
  EXPECT_EQ(two.events.size(), 2U + 1000U);
  EXPECT_EQ(world.scheduler().next_due(), Instant{} + seconds(1)) << "the others at once";
  (void)world.at(1);
  EXPECT_EQ(standing(9001).size() + standing(9002).size(), 1200U);
}

TEST_F(an_array, has_a_member_for_each_index_and_no_other) {
  Submission job = array_of(1, 0);
  job.array->indices = index_set({9, 1, 3, 5, 7, 1});
  (void)submit(7, job);
  EXPECT_EQ(standing(7), (Indices{1, 3, 5, 7, 9}));
}

TEST_F(an_array, survives_in_a_stored_state_and_goes_on) {
  (void)submit(7, array_of(6, 2));
  (void)cancel(7, {{4, 1, 1}}, 5);
  auto stored = decode_state(encode_state(cluster().state()));
  ASSERT_TRUE(stored) << stored.error().message;
  ASSERT_TRUE(check_recorded(*stored));
  Cluster again(std::move(*stored));
  EXPECT_EQ(again.record({7})->array, cluster().record({7})->array);
  again.apply(Event{Cancelled{{member(7, 0)}, JobResult::cancelled, "", {}}});
  ASSERT_EQ(again.due_members().size(), 1U);
  EXPECT_EQ(again.due_members()[0].submission->member->index, 2U);
}

TEST_F(an_array, is_repeated_from_its_recorded_steps) {
  std::vector<Step> steps;
  steps.push_back(submit(7, array_of(5, 2)));
  steps.push_back(cancel(7, {{0, 1, 1}, {3, 1, 1}}, 3));
  ScriptedWorld other({test::node(0, 64, 64'000)});
  Scheduler again(Cluster(std::vector<Node>{test::node(0, 64, 64'000)}), std::move(*make_policy("FCFS")));
  for (const Step& step : steps) {
    const auto read = decode<Step>(encode(step));
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_TRUE(again.replay(*read));
  }
  EXPECT_EQ(again.cluster().record({7})->array, cluster().record({7})->array);
  EXPECT_EQ(again.cluster().state().next_job, cluster().state().next_job);
}

TEST_F(an_array, does_not_know_a_member_that_it_has_not_asked_for) {
  (void)submit(7, array_of(3, 1));
  Submission job = submission(1, 1000, 100);
  job.member = ArrayMember{{7}, 2};
  (void)submit(20, job, 5);
  EXPECT_EQ(cluster().record({20}), nullptr);
}

TEST_F(an_array, with_impossible_indices_is_no_recorded_state) {
  (void)submit(7, array_of(3, 1));
  CoreState state = cluster().state();
  EXPECT_TRUE(check_recorded(state));
  state.records.at({7}).array->standing[0].job = {99};
  EXPECT_FALSE(check_recorded(state));
  state = cluster().state();
  state.records.at({7}).array->reached = 4;
  EXPECT_FALSE(check_recorded(state));
  Submission job = array_of(3, 1);
  job.array->indices = {{0, 3, 0}};
  const std::vector<Event> events{Submitted{{9}, job}};
  EXPECT_FALSE(check_recorded(events));
}

}  // namespace
}  // namespace aliquot
