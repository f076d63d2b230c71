// The number of tasks of a job changes while it runs: it grows where it can and goes on meanwhile, tells
// the tasks that are to leave, and takes the VMs of those that do not.
#include <gtest/gtest.h>

#include "manager/core/recorded.hpp"
#include "manager/core/size_transitions.hpp"
#include "manager/store/state_codec.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

struct job_size : testing::Test {
  void start(std::uint64_t id, Submission job, Yield yield = kFullYield, Placement at = {{{0}, 1}}) {
    world.will_decide({{{id}, std::move(at), yield}});
    (void)world.complete(world.at(0, {Submitted{{id}, std::move(job)}}));
  }
  Step evolve(std::int64_t second, std::uint32_t tasks, Duration in = {}) {
    return world.at(second, {TasksChanged{{1}, tasks, Instant{} + seconds(second) + in, "its user"}});
  }
  [[nodiscard]] const CoreState& state() const { return world.scheduler().cluster().state(); }
  [[nodiscard]] const Evolution& evolution() const { return state().records.at({1}).evolution; }
  [[nodiscard]] VirtualTime done(std::int64_t second) const {
    return world.job(1).progress.at(Instant{} + seconds(second));
  }
  static Event ended(std::uint32_t task, int exit_code) {
    return TaskEnded{{1}, {task, 1}, 1, exit_code, {}};
  }

  ScriptedWorld world{{test::node(0, 4, 400), test::node(1, 4, 400)}};
};

TEST_F(job_size, that_grows_puts_new_tasks_where_the_most_cpu_is_left) {
  start(1, submission(1, 1000, 100));
  const Step step = evolve(10, 4);
  EXPECT_EQ(world.job(1).demand.tasks, 4U);
  EXPECT_EQ(world.job(1).placement, (Placement{{{0}, 2}, {{1}, 2}}));
  ASSERT_TRUE(step.decision) << "the policy is asked, and sees it";
  EXPECT_TRUE(step.decision->cause.disturbed);
  ASSERT_EQ(step.events.size(), 2U) << "and the log says where the new tasks went";
  EXPECT_TRUE(std::holds_alternative<TasksAdded>(step.events[1]));
  EXPECT_EQ(world.complete(step), "create 1.1+3 n0,n1,n1;release 1.1+3;");
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(job_size, that_grows_goes_on_until_its_new_tasks_run) {
  start(1, submission(1, 1000, 100));
  const Step step = evolve(10, 2);
  (void)world.at(20);
  EXPECT_EQ(done(20), seconds(20) * kFullYield);
  (void)world.complete(step);
  EXPECT_EQ(done(30), seconds(30) * kFullYield);
}

TEST_F(job_size, that_grows_is_not_migrated_where_only_new_tasks_get_other_nodes) {
  start(1, submission(1, 1000, 100));
  world.will_decide({{{1}, {{{0}, 2}}, kFullYield}});
  EXPECT_EQ(world.complete(evolve(10, 2)), "create 1.1 n0;release 1.1;");
  EXPECT_EQ(state().records.at({1}).migrations, 0U);
  world.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, kFullYield}});
  (void)world.complete(world.at(20, {Woken{}}));
  EXPECT_EQ(state().records.at({1}).migrations, 1U);
}

TEST_F(job_size, that_grows_slows_what_stands_there_under_a_policy_that_shares_the_cpu) {
  start(1, submission(1, 3000, 100), kFullYield);
  start(2, submission(1, 4000, 100), kFullYield, {{{1}, 1}});
  (void)world.complete(evolve(10, 2));
  EXPECT_EQ(world.job(1).placement, (Placement{{{0}, 2}}));
  EXPECT_EQ(world.job(1).yield, Yield{666'666});
  EXPECT_EQ(world.job(2).yield, kFullYield);
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(job_size, that_finds_no_memory_waits_for_it) {
  start(1, submission(1, 1000, 300));
  start(2, submission(1, 1000, 300), kFullYield, {{{1}, 1}});
  EXPECT_TRUE(evolve(10, 2).actions.empty());
  EXPECT_EQ(world.job(1).demand.tasks, 1U) << "as far as policies know";
  EXPECT_EQ(evolution().growth, 1U);
  EXPECT_EQ(evolution().why, "its user");
  EXPECT_EQ(world.complete(world.at(20, {TaskEnded{{2}, {0, 1}, 1, 0, {}}})), "create 1.1 n1;release 1.1;");
  EXPECT_EQ(evolution().growth, 0U);
}

TEST_F(job_size, that_waits_grows_once_it_runs) {
  (void)world.at(0, {Submitted{{1}, submission(1, 1000, 100)}});
  (void)evolve(10, 2);
  EXPECT_EQ(world.job(1).demand.tasks, 1U);
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  (void)world.complete(world.at(20, {HoldChanged{{1}, true}, HoldChanged{{1}, false}}));
  EXPECT_EQ(world.job(1).demand.tasks, 2U);
}

TEST_F(job_size, that_shrinks_tells_its_last_tasks_and_is_smaller_when_they_have_left) {
  start(1, submission(3, 1000, 100), kFullYield, {{{0}, 2}, {{1}, 1}});
  EXPECT_EQ(world.complete(evolve(10, 1)), "notify 1.1+2;");
  EXPECT_EQ(world.job(1).demand.tasks, 3U) << "they still hold what they have";
  EXPECT_EQ(done(20), seconds(20) * kFullYield);
  (void)world.at(20, {ended(2, 0), ended(1, 143)});
  EXPECT_EQ(world.job(1).demand.tasks, 1U) << "any exit status is right of a task that has been told";
  EXPECT_EQ(world.job(1).placement, (Placement{{{0}, 1}}));
  const Step last = world.at(30, {ended(0, 0)});
  ASSERT_EQ(last.ended.size(), 1U);
  EXPECT_EQ(last.ended[0].result, JobResult::completed);
  EXPECT_EQ(last.ended[0].exit_code, 0);
}

TEST_F(job_size, that_shrinks_takes_the_vm_of_a_task_that_does_not_listen) {
  Submission job = submission(2, 1000, 100);
  job.grace = seconds(15);
  start(1, job, kFullYield, {{{0}, 2}});
  EXPECT_EQ(world.complete(evolve(10, 1)), "notify 1.1;");
  EXPECT_EQ(world.scheduler().next_due(), Instant{} + seconds(25));
  EXPECT_TRUE(world.at(24).actions.empty());
  EXPECT_EQ(world.complete(world.at(25)), "destroy 1.1;");
  EXPECT_EQ(world.job(1).demand.tasks, 1U);
  EXPECT_EQ(world.vm(1, 1).state, VmState::ended);
  EXPECT_EQ(world.scheduler().next_due(), kNever);
}

TEST_F(job_size, of_a_job_that_is_cancelled_while_a_task_is_to_leave_does_not_keep_it) {
  start(1, submission(2, 1000, 100), kFullYield, {{{0}, 2}});
  EXPECT_EQ(world.complete(evolve(10, 1)), "notify 1.1;");
  EXPECT_EQ(world.complete(world.at(20, {Cancelled{{1}, JobResult::cancelled, "its user"}})),
            "destroy 1.0+2;");
  EXPECT_TRUE(state().records.empty());
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(job_size, that_grows_before_it_has_run_begins_with_all_its_tasks) {
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  const Step creates = world.at(0, {Submitted{{1}, submission(1, 1000, 100)}});
  const Step more = evolve(1, 2);
  EXPECT_EQ(world.job(1).demand.tasks, 2U);
  EXPECT_EQ(world.complete(creates), "create 1.0 n0;");
  EXPECT_EQ(done(10), VirtualTime{}) << "it waits for its second task";
  EXPECT_EQ(world.complete(more), "create 1.1 n1;release 1.0+2;");
}

TEST_F(job_size, does_not_matter_once_all_tasks_have_ended_that_ever_ran) {
  start(1, submission(1, 1000, 100));
  const Step creates = evolve(10, 3);
  ASSERT_EQ(creates.actions.size(), 1U);
  EXPECT_TRUE(world.at(15, {ended(0, 0)}).actions.empty()) << "what is being created is destroyed then";
  std::vector<Event> outcomes{Outcome{head(creates.actions[0]).op, {1}, {1, 2}, {}, {}, {}}};
  EXPECT_EQ(world.complete(world.at(20, std::move(outcomes))), "destroy 1.1+2;");
  EXPECT_TRUE(state().records.empty());
}

TEST_F(job_size, that_its_guest_announces_is_heard_once) {
  start(1, submission(1, 1000, 100));
  TasksChanged said{{1}, 2, Instant{} + seconds(10), "task 0 of it has announced it"};
  said.guest = GuestAnnouncement{0, 1, 1};
  EXPECT_EQ(world.complete(world.at(10, {said})), "create 1.1 n1;release 1.1;");
  EXPECT_EQ(world.complete(evolve(20, 1)), "notify 1.1;");
  EXPECT_TRUE(world.at(21, {said}).actions.empty()) << "a new manager has read it again";
  EXPECT_EQ(evolution().growth, 0U);
  said.guest->number = 2;
  (void)world.at(22, {said});
  EXPECT_EQ(world.job(1).demand.tasks, 3U) << "the one that leaves, and a new one";
  said.guest->incarnation = 2;
  said.guest->number = 1;
  (void)world.at(23, {said});
  EXPECT_EQ(evolution().heard, (std::vector{GuestAnnouncement{0, 2, 1}}));
}

TEST_F(job_size, that_is_refused_to_its_guest_is_remembered_once) {
  start(1, submission(1, 1000, 100));
  const Instant at = Instant{} + seconds(70);
  AnnouncementRefused said{{1}, {0, 1, 2}, 9, at, "at most 8"};
  EXPECT_TRUE(world.at(10, {said}).actions.empty());
  EXPECT_EQ(evolution().newest_refused, (RefusedAnnouncement{0, 9, at, "at most 8"}));
  EXPECT_EQ(world.job(1).demand.tasks, 1U);
  said.tasks = 10;
  (void)world.at(11, {said});
  EXPECT_EQ(evolution().newest_refused->tasks, 9U) << "a new manager has read it again";
  said.guest = {0, 2, 1};
  (void)world.at(12, {said});
  EXPECT_EQ(evolution().newest_refused->tasks, 10U) << "another VM counts anew";
  EXPECT_EQ(evolution().refused, (std::vector{GuestAnnouncement{0, 2, 1}}));
}

TEST_F(job_size, that_is_refused_does_not_hide_one_that_the_guest_announced_before) {
  start(1, submission(1, 1000, 100));
  TasksChanged said{{1}, 2, Instant{} + seconds(10), "task 0 of it has announced it"};
  said.guest = GuestAnnouncement{0, 1, 1};
  const AnnouncementRefused refused{{1}, {0, 1, 2}, 9, Instant{}, "at most 8"};
  EXPECT_EQ(world.complete(world.at(10, {refused, said})), "create 1.1 n1;release 1.1;");
  EXPECT_EQ(evolution().refused, (std::vector{GuestAnnouncement{0, 1, 2}}));
}

TEST_F(job_size, that_is_refused_to_the_guest_of_no_job_means_nothing) {
  EXPECT_TRUE(world.round({AnnouncementRefused{{7}, {0, 1, 1}, 9, Instant{}, ""}}).actions.empty());
  EXPECT_TRUE(state().records.empty());
}

TEST_F(job_size, that_cannot_tell_a_task_gives_it_its_grace_all_the_same) {
  start(1, submission(2, 1000, 100), kFullYield, {{{0}, 2}});
  const Step step = evolve(10, 1);
  const Error error{ErrorKind::unsupported, "it has no power button"};
  (void)world.round({Outcome{head(step.actions[0]).op, {1}, {1, 1}, error, {}, {}}});
  EXPECT_TRUE(world.at(39).actions.empty());
  EXPECT_EQ(world.complete(world.at(40)), "destroy 1.1;");
  EXPECT_EQ(world.job(1).demand.tasks, 1U);
}

TEST_F(job_size, that_shrinks_before_it_runs_loses_tasks_at_once) {
  (void)world.at(0, {Submitted{{1}, submission(3, 1000, 100)}});
  (void)evolve(10, 2);
  EXPECT_EQ(world.job(1).demand.tasks, 2U);
  world.will_decide({{{1}, {{{0}, 2}}, kFullYield}});
  EXPECT_EQ(world.complete(world.at(20, {HoldChanged{{1}, true}, HoldChanged{{1}, false}})),
            "create 1.0+2 n0;release 1.0+2;");
}

TEST_F(job_size, that_grows_again_gives_no_number_twice) {
  start(1, submission(2, 1000, 100), kFullYield, {{{0}, 2}});
  (void)world.complete(evolve(10, 1));
  (void)world.at(20, {ended(1, 0)});
  EXPECT_EQ(world.complete(evolve(30, 2)), "create 1.2 n1;release 1.2;");
  EXPECT_EQ(state().records.at({1}).vms.size(), 3U);
}

TEST_F(job_size, that_is_to_change_later_does_so_then) {
  start(1, submission(1, 1000, 100));
  EXPECT_TRUE(evolve(10, 2, seconds(60)).actions.empty());
  EXPECT_EQ(evolution().announced, (std::vector{AnnouncedTasks{Instant{} + seconds(70), 2, "its user"}}));
  EXPECT_EQ(world.scheduler().next_due(), Instant{} + seconds(70));
  EXPECT_EQ(world.complete(world.at(70)), "create 1.1 n1;release 1.1;");
  EXPECT_TRUE(evolution().announced.empty());
}

TEST_F(job_size, follows_its_profile_in_virtual_time) {
  Submission job = submission(1, 1000, 100);
  job.profile = {{seconds(50), 3}, {seconds(80), 2}};
  start(1, job, Yield{500'000});
  EXPECT_EQ(world.scheduler().next_due(), Instant{} + seconds(100)) << "at half of its full speed";
  EXPECT_EQ(world.complete(world.at(100)), "create 1.1+2 n0,n1;release 1.1+2;");
  EXPECT_EQ(evolution().steps_done, 1U);
  EXPECT_EQ(world.complete(world.at(160)), "notify 1.2;");
  EXPECT_EQ(evolution().steps_done, 2U);
}

TEST_F(job_size, that_lacks_tasks_for_a_step_of_its_profile_makes_progress_by_the_part_that_runs) {
  Submission job = submission(1, 1000, 300);
  job.profile = {{seconds(50), 4}, {seconds(80), 1}};
  start(2, submission(1, 1000, 300), kFullYield, {{{1}, 1}});
  start(1, job);
  (void)world.complete(world.at(50));
  EXPECT_EQ(evolution().growth, 3U);
  EXPECT_EQ(done(90), seconds(60) * kFullYield) << "with one task of four";
  EXPECT_EQ(world.scheduler().next_due(), Instant{} + seconds(170)) << "the next step comes later";
  (void)world.complete(world.at(170));
  EXPECT_EQ(done(180), seconds(90) * kFullYield);
}

TEST_F(job_size, that_lacks_announced_tasks_makes_progress_all_the_same) {
  Submission job = submission(1, 1000, 300);
  job.profile = {{seconds(50), 4}};
  start(1, job);
  (void)world.complete(world.at(50));
  EXPECT_EQ(done(90), seconds(60) * kFullYield);
  (void)world.complete(evolve(90, 5));
  EXPECT_EQ(done(100), seconds(70) * kFullYield);
}

TEST_F(job_size, of_a_step_counts_once_its_new_tasks_run) {
  Submission job = submission(1, 1000, 100);
  job.profile = {{seconds(50), 2}};
  start(1, job);
  const Step creates = world.at(50);
  EXPECT_EQ(done(70), seconds(60) * kFullYield) << "its second VM is being created";
  (void)world.at(70);
  (void)world.complete(creates);
  EXPECT_EQ(done(80), seconds(70) * kFullYield);
}

TEST_F(job_size, is_known_to_policies_before_it_changes) {
  Submission job = submission(1, 1000, 100);
  job.profile = {{seconds(20), 3}, {seconds(50), 1}};
  const LaterTasks second{3, seconds(20) * kFullYield, {}}, third{1, seconds(50) * kFullYield, {}};
  (void)world.at(0, {Submitted{{1}, job}});
  EXPECT_EQ(world.job(1).later, (std::vector{second, third}));
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  (void)world.complete(world.at(1, {Woken{}}));
  (void)evolve(5, 2, seconds(100));
  EXPECT_EQ(world.job(1).later, (std::vector{second, third, LaterTasks{2, {}, Instant{} + seconds(105)}}));
  (void)evolve(6, 40);  // more than there is room for
  EXPECT_EQ(world.job(1).later.front(), (LaterTasks{40, {}, {}}));
  EXPECT_EQ(world.job(1).later.size(), 4U);
}

TEST_F(job_size, begins_its_profile_again_when_it_starts_anew) {
  Submission job = submission(1, 1000, 100);
  job.profile = {{seconds(50), 3}};
  job.requeue = 1;
  start(1, job);
  (void)world.complete(world.at(50));
  EXPECT_EQ(world.job(1).demand.tasks, 3U);
  (void)world.complete(world.at(60, {Displaced{{1}, true, "an operator"}}));
  EXPECT_EQ(world.job(1).demand.tasks, 1U);
  EXPECT_EQ(evolution(), Evolution{});
  EXPECT_TRUE(world.at(70).actions.empty());
}

TEST_F(job_size, does_not_grow_where_all_its_tasks_are_placed_at_once) {
  Submission spread = submission(2, 1000, 100);
  spread.demand.spread.min_nodes = 2;
  start(1, spread, kFullYield, {{{0}, 1}, {{1}, 1}});
  EXPECT_TRUE(evolve(10, 3).actions.empty());
  EXPECT_EQ(evolution().growth, 0U);
}

TEST_F(job_size, is_replayed_from_the_log_without_looking_for_places_again) {
  Submission job = submission(1, 1000, 100);
  job.profile = {{seconds(50), 3}, {seconds(80), 1}};
  std::vector<Step> log;
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  const auto live = [&](Step step) {
    while (true) {
      log.push_back(step);
      if (step.actions.empty()) return;
      std::vector<Event> outcomes;
      for (const Action& action : step.actions)
        outcomes.emplace_back(Outcome{head(action).op, {1}, head(action).tasks, {}, {}, {}});
      step = world.round(std::move(outcomes));
    }
  };
  live(world.at(0, {Submitted{{1}, job}}));
  live(world.at(50));
  live(world.at(80));
  auto plans = std::make_shared<std::deque<Plan>>();
  Scheduler replayed(Cluster({test::node(0, 4, 400), test::node(1, 4, 400)}),
                     std::make_unique<test::ScriptedPolicy>(plans));
  for (const Step& step : log) ASSERT_TRUE(replayed.replay(step));
  EXPECT_EQ(encode_state(replayed.cluster().state()), encode_state(state()));
}

TEST_F(job_size, and_what_is_to_become_of_it_are_in_a_snapshot) {
  Submission job = submission(2, 1000, 300);
  job.profile = {{seconds(500), 3}};
  start(1, job, kFullYield, {{{0}, 1}, {{1}, 1}});
  (void)evolve(10, 3);
  (void)evolve(20, 1, seconds(30));
  (void)world.complete(evolve(30, 1));
  const std::string text = encode_state(state());
  auto read = decode_state(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(check_recorded(*read));
  EXPECT_EQ(encode_state(*read), text);
  const Cluster recovered(std::move(*read));
  EXPECT_EQ(recovered.next_timer(), world.scheduler().cluster().next_timer());
}

TEST_F(job_size, of_no_job_or_of_nodes_that_there_are_not_means_nothing) {
  start(1, submission(1, 1000, 100));
  EXPECT_TRUE(world.round({TasksChanged{{7}, 2, {}, ""}, TasksAdded{{1}, {{{0}, 1}}}}).actions.empty());
  EXPECT_TRUE(world.round({TasksAdded{{1}, {{{9}, 1}}}}).actions.empty());
  EXPECT_EQ(world.job(1).demand.tasks, 1U);
}

}  // namespace
}  // namespace aliquot
