// The life of jobs through the core, in words: what is done, in which order, and what is never done.
#include "manager/core/scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "monitor/codec_step.hpp"
#include "policies/policy.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;
using test::submission;

constexpr Yield kHalf{500'000};

Event submitted(std::uint64_t id, const Submission& what) { return Submitted{{id}, what}; }
Event ended(std::uint64_t id, TaskRun tasks, std::optional<int> code, std::uint32_t incarnation = 1) {
  return TaskEnded{{id}, tasks, incarnation, code, {}};
}

TEST(scheduler, a_job_of_several_tasks_is_created_paused_and_released_at_once) {
  ScriptedWorld world({node(0), node(1)});
  world.will_decide({{{1}, {{{0}, 1}, {{1}, 2}}, kHalf}});
  Step step = world.at(0, {submitted(1, submission(3, 500, 100))});
  EXPECT_EQ(world.complete(std::move(step)), "create 1.0+3 n0,n1,n1;release 1.0+3;");
  EXPECT_EQ(world.job(1).progress.rate, kHalf);
  EXPECT_EQ(world.violations(), 0U);
}

TEST(scheduler, caps_are_lowered_before_others_grow) {
  ScriptedWorld world({node(0)});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  world.complete(world.at(0, {submitted(1, submission(1, 1000, 100))}));
  world.will_decide({{{1}, {{{0}, 1}}, kHalf}, {{2}, {{{0}, 1}}, kHalf}});
  Step step = world.at(10, {submitted(2, submission(1, 1000, 100))});
  EXPECT_EQ(world.complete(std::move(step)), "cap 1.0 500;create 2.0 n0;release 2.0;");
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  EXPECT_EQ(world.complete(world.at(20, {ended(2, {0, 1}, 0)})), "cap 1.0 1000;");
  EXPECT_EQ(world.job(1).progress.at(Instant{} + seconds(20)), seconds(15) * kFullYield);
  EXPECT_EQ(world.violations(), 0U);
}

TEST(scheduler, a_paused_job_frees_its_memory_before_the_next_is_created) {
  ScriptedWorld world({node(0)});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  world.complete(world.at(0, {submitted(1, submission(1, 500, 800))}));
  world.will_decide({{{1}, {}, {}}, {{2}, {{{0}, 1}}, kFullYield}});
  Step step = world.at(10, {submitted(2, submission(1, 500, 800))});
  EXPECT_EQ(world.complete(std::move(step)), "save 1.0;create 2.0 n0;release 2.0;");
  EXPECT_EQ(world.job(1).phase, Phase::paused);
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  EXPECT_EQ(world.complete(world.at(20, {ended(2, {0, 1}, 0)})), "restore 1.0 n0;release 1.0;");
  EXPECT_EQ(world.scheduler().cluster().record({1})->preemptions, 1U);
  EXPECT_EQ(world.violations(), 0U);
}

TEST(scheduler, a_circle_of_moves_is_broken_by_saving_the_smallest) {
  ScriptedWorld world({node(0), node(1)});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}, {{2}, {{{1}, 1}}, kFullYield}});
  world.complete(
      world.at(0, {submitted(1, submission(1, 500, 900)), submitted(2, submission(1, 500, 800))}));
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}, {{2}, {{{0}, 1}}, kFullYield}});
  Step step = world.at(10, {HoldChanged{{1}, true}, HoldChanged{{1}, false}});
  EXPECT_EQ(world.complete(std::move(step)), "save 2.0;migrate 1.0 n1;restore 2.0 n0;release 2.0;");
  EXPECT_EQ(world.scheduler().cluster().record({2})->migrations, 1U);
  EXPECT_EQ(world.scheduler().cluster().record({2})->preemptions, 0U);
  EXPECT_EQ(world.violations(), 0U);
}

// What policies remember of jobs that wait is longer than all else: a step has only what changes in it.
TEST(scheduler, a_step_does_not_grow_with_the_jobs_that_wait) {
  for (const char* policy : {"ALIQUOT", "GREEDY", "GREEDY-PMTN"}) {
    Scheduler scheduler(Cluster({node(0), node(1)}), make_policy(policy).value());
    std::vector<Event> all;
    for (std::uint64_t id = 1; id <= 1000; ++id) all.push_back(submitted(id, submission(1, 500, 800)));
    const Step first = scheduler.round(Instant{} + seconds(1), std::move(all));
    ASSERT_TRUE(first.decision->adopted) << policy;
    ASSERT_GT(scheduler.cluster().view().memory.retries.size(), 990U) << policy;
    const Step next = scheduler.round(Instant{} + seconds(2), {submitted(1001, submission(1, 500, 800))});
    EXPECT_GT(encode_step(first).size(), 50'000U) << policy;
    EXPECT_LT(encode_step(next).size(), 5'000U) << policy;
  }
}

TEST(scheduler, moves_are_ordered_so_that_each_finds_capacity) {
  ScriptedWorld world({node(0), node(1), node(2)});
  world.will_decide({{{1}, {{{0}, 1}}, kHalf}, {{2}, {{{1}, 1}}, kHalf}});
  world.complete(
      world.at(0, {submitted(1, submission(1, 500, 800)), submitted(2, submission(1, 500, 800))}));
  world.will_decide({{{1}, {{{1}, 1}}, kHalf}, {{2}, {{{2}, 1}}, kHalf}});
  Step step = world.at(10, {HoldChanged{{1}, true}, HoldChanged{{1}, false}});
  EXPECT_EQ(world.complete(std::move(step)), "migrate 2.0 n2;migrate 1.0 n1;");
  EXPECT_EQ(world.violations(), 0U);
}

TEST(scheduler, a_failed_task_fails_the_job_and_the_others_are_destroyed) {
  ScriptedWorld world({node(0)});
  world.will_decide({{{1}, {{{0}, 3}}, kHalf}});
  world.complete(world.at(0, {submitted(1, submission(3, 300, 100))}));
  world.complete(world.at(5, {ended(1, {0, 1}, 0)}));
  EXPECT_EQ(world.job(1).demand.tasks, 2U);
  Step step = world.at(6, {ended(1, {2, 1}, 3)});
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_EQ(ScriptedWorld::describe(step.actions[0]), "destroy 1.1");
  step = world.round({Outcome{head(step.actions[0]).op, {1}, {1, 1}, {}, {}, {}}});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::failed);
  EXPECT_EQ(step.ended[0].exit_code, 3);
  EXPECT_EQ(step.ended[0].note, "task 2 ended with exit status 3");
}

TEST(scheduler, a_task_that_ran_out_of_memory_is_told_what_to_ask_for) {
  ScriptedWorld world({node(0)});
  world.will_decide({{{1}, {{{0}, 1}}, kHalf}});
  Submission job = submission(1, 300, 160);
  job.guest_memory = mebibytes(160);
  world.complete(world.at(0, {submitted(1, job)}));
  const Step step = world.at(5, {TaskEnded{{1}, {0, 1}, 1, 137, {}, 1}});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].exit_code, 137);
  EXPECT_EQ(step.ended[0].note,
            "task 0 ran out of memory: its guest's kernel ended 1 process, and it ended with exit status "
            "137; it had 160 MiB, submit it with --mem 240MiB");
}

TEST(scheduler, a_task_that_succeeds_without_what_its_guest_ended_is_told_so) {
  ScriptedWorld world({node(0)});
  world.will_decide({{{1}, {{{0}, 1}}, kHalf}});
  world.complete(world.at(0, {submitted(1, submission(1, 300, 160))}));
  const Step step = world.at(5, {TaskEnded{{1}, {0, 1}, 1, 0, {}, 2}});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::completed);
  EXPECT_EQ(step.ended[0].note.find("task 0 ran out of memory: its guest's kernel ended 2 processes"), 0U);
}

TEST(scheduler, a_job_that_asked_to_continue_outlives_its_failed_tasks_and_fails_at_its_end) {
  ScriptedWorld world({node(0)});
  world.will_decide({{{1}, {{{0}, 4}}, kHalf}});
  Submission what = submission(4, 200, 100);
  what.on_task_failure = OnTaskFailure::carry_on;
  world.complete(world.at(0, {submitted(1, what)}));
  EXPECT_TRUE(world.at(5, {ended(1, {2, 1}, std::nullopt)}).actions.empty());
  EXPECT_EQ(world.job(1).demand.tasks, 3U);
  EXPECT_EQ(world.job(1).phase, Phase::running);
  EXPECT_EQ(world.job(1).progress.rate, kHalf);
  world.at(6, {ended(1, {1, 1}, 3)});
  world.at(7, {ended(1, {0, 1}, 0)});
  const Step step = world.at(10, {ended(1, {3, 1}, 0)});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::failed);
  EXPECT_EQ(step.ended[0].exit_code, 3);
  EXPECT_EQ(step.ended[0].note, "2 of 4 tasks failed, first task 1 with exit status 3");
  EXPECT_EQ(step.ended[0].virtual_time, seconds(10) * kHalf);
}

TEST(scheduler, a_task_that_has_ended_takes_no_place_when_its_job_is_placed_anew) {
  ScriptedWorld world({node(0), node(1)});
  world.will_decide({{{1}, {{{0}, 3}}, kHalf}});
  world.complete(world.at(0, {submitted(1, submission(3, 200, 100))}));
  world.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, kHalf}});
  const std::string done = world.complete(world.at(5, {ended(1, {0, 1}, 0)}));
  EXPECT_EQ(done, "migrate 1.2 n1;") << "task 1 keeps the place on node 0, task 2 gets that on node 1";
  EXPECT_EQ(world.vm(1, 1).wanted, NodeId{0});
  EXPECT_EQ(world.vm(1, 2).wanted, NodeId{1});
}

TEST(scheduler, a_job_that_continues_and_is_cancelled_was_cancelled) {
  ScriptedWorld world({node(0)});
  world.will_decide({{{1}, {{{0}, 2}}, kHalf}});
  Submission what = submission(2, 200, 100);
  what.on_task_failure = OnTaskFailure::carry_on;
  world.complete(world.at(0, {submitted(1, what)}));
  world.at(5, {ended(1, {0, 1}, 3)});
  Step step = world.at(6, {Cancelled{{1}, JobResult::cancelled, "by uid 0"}});
  step = world.round({ended(1, {1, 1}, 9)});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::cancelled);
}

TEST(scheduler, an_end_counts_once_and_only_for_its_incarnation) {
  ScriptedWorld world({node(0)});
  world.will_decide({{{1}, {{{0}, 2}}, kHalf}});
  world.complete(world.at(0, {submitted(1, submission(2, 300, 100))}));
  world.at(1, {ended(1, {0, 1}, 0, 7)});
  EXPECT_EQ(world.job(1).demand.tasks, 2U);
  world.at(2, {ended(1, {0, 1}, 0), ended(1, {0, 1}, 5)});
  EXPECT_EQ(world.job(1).demand.tasks, 1U);
  const Step step = world.at(3, {ended(1, {1, 1}, 0)});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::completed);
}

TEST(scheduler, a_refused_plan_changes_nothing) {
  ScriptedWorld world({node(0)});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  const Step step = world.at(0, {submitted(1, submission(1, 500, 2000))});
  ASSERT_TRUE(step.decision);
  EXPECT_FALSE(step.decision->adopted);
  EXPECT_EQ(step.decision->violations.at(0).law, Law::memory);
  EXPECT_TRUE(step.actions.empty());
  EXPECT_EQ(world.job(1).phase, Phase::waiting);
}

TEST(scheduler, cancelling_destroys_what_exists_and_ends_the_job_after_that) {
  ScriptedWorld world({node(0)});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  world.complete(world.at(0, {submitted(1, submission(1, 500, 100))}));
  Step step = world.at(4, {Cancelled{{1}, JobResult::cancelled, "by uid 0"}});
  EXPECT_TRUE(step.ended.empty());
  step = world.round({Outcome{head(step.actions.at(0)).op, {1}, {0, 1}, {}, {}, {}}});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].virtual_time, seconds(4) * kFullYield);
  EXPECT_EQ(world.scheduler().cluster().ledger().charged({0}).memory.raw, 0);
}

TEST(scheduler, in_mode_off_nothing_is_decided_and_nothing_forgotten) {
  ScriptedWorld world({node(0)});
  world.at(0, {ModeChanged{Mode::off}});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  EXPECT_FALSE(world.at(1, {submitted(1, submission(1, 500, 100))}).decision);
  const Step step = world.at(2, {ModeChanged{Mode::automatic}});
  ASSERT_TRUE(step.decision);
  EXPECT_TRUE(step.decision->adopted);
}

TEST(scheduler, a_job_that_ends_before_it_is_decided_about_has_not_arrived) {
  ScriptedWorld world({node(0)});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  world.complete(world.at(0, {submitted(1, submission(1, 500, 100))}));
  world.will_decide({{{1}, {}, {}}});
  const Step saves = world.at(1, {HoldChanged{{1}, true}});
  ASSERT_EQ(saves.actions.size(), 1U);
  world.at(2, {ModeChanged{Mode::off}});
  world.at(3, {HoldChanged{{1}, false}});
  EXPECT_EQ(world.scheduler().cluster().view().cause.arrived, (std::vector<JobId>{{1}}));
  world.at(4, {TaskEnded{{1}, {0, 1}, 1, 0, ""}});
  const Error gone{ErrorKind::not_found, "its VM is gone"};
  world.at(5, {Outcome{head(saves.actions[0]).op, {1}, {0, 1}, gone, {}, {}}});
  EXPECT_FALSE(world.scheduler().cluster().view().jobs.contains({1}));
  EXPECT_TRUE(world.scheduler().cluster().view().cause.arrived.empty());
}

TEST(scheduler, a_replay_of_the_steps_gives_the_same_state) {
  ScriptedWorld world({node(0), node(1)});
  Scheduler replayed(Cluster({node(0), node(1)}),
                     std::make_unique<test::ScriptedPolicy>(std::make_shared<std::deque<Plan>>()));
  world.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, kHalf}});
  Step step = world.at(0, {submitted(1, submission(2, 500, 100))});
  for (int count = 0; count < 4; ++count) {
    ASSERT_TRUE(replayed.replay(step));
    std::vector<Event> outcomes;
    for (const Action& action : step.actions)
      outcomes.emplace_back(Outcome{head(action).op, head(action).job, head(action).tasks, {}, {}, {}});
    step = world.round(std::move(outcomes));
  }
  ASSERT_TRUE(replayed.replay(step));
  EXPECT_EQ(replayed.cluster().record({1})->vms, world.scheduler().cluster().record({1})->vms);
  EXPECT_EQ(replayed.cluster().view().jobs.at({1}).progress.rate, kHalf);
  EXPECT_EQ(replayed.cluster().state().steps, world.scheduler().cluster().state().steps);
}

TEST(scheduler, events_of_one_instant_go_by_kind_then_by_job_and_alike_as_they_came) {
  ScriptedWorld world({node(0)});
  const auto hold = [](std::uint64_t job, bool held) { return Event(HoldChanged{{job}, held}); };
  std::vector<Event> events;
  for (std::uint64_t k = 0; k < 40; ++k) {  // 7 and 5 have no common divisor: in every order
    events.push_back(hold(1 + 7 * k % 5, k % 2 == 0));
    if (k < 5) events.push_back(submitted(5 - k, submission(1, 100, 100)));
  }
  std::vector<Event> expected = events;
  const auto job_of = [](const Event& event) {
    const auto* held = std::get_if<HoldChanged>(&event);
    return held ? held->job : std::get<Submitted>(event).job;
  };
  std::ranges::stable_sort(expected, {}, [&](const Event& e) { return std::pair(e.index(), job_of(e)); });
  const Step step = world.at(0, std::move(events));
  ASSERT_EQ(step.events.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    ASSERT_EQ(step.events[k].index(), expected[k].index()) << k;
    ASSERT_EQ(job_of(step.events[k]), job_of(expected[k])) << k;
    if (const auto* held = std::get_if<HoldChanged>(&expected[k])) {
      ASSERT_EQ(std::get<HoldChanged>(step.events[k]).held, held->held) << k;
    }
  }
}

}  // namespace
}  // namespace aliquot
