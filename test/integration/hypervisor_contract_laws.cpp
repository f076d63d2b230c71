// The laws themselves; see hypervisor_contract.hpp.
#include "test/integration/hypervisor_contract.hpp"

namespace aliquot {
namespace {

constexpr Yield kHalf{500'000};
constexpr Yield kQuarter{250'000};
constexpr Yield kLittle{50'000};
constexpr Duration kWhile = seconds(1);

TEST_P(HypervisorContract, a_created_vm_stands_still_until_it_is_released) {
  submit(backend_->endless());
  ASSERT_EQ(act(Create{next(), NodeId{0}, kHalf}), kDone);
  EXPECT_EQ(look().fact, VmFact::paused);
  EXPECT_EQ(progress_in(kWhile), 0);
  ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_EQ(look().fact, VmFact::running);
  EXPECT_EQ(look().node, NodeId{0});
  EXPECT_TRUE(passes_until([&] { return progress() > 0; }, seconds(20)));
}

// Caps so low that they are to be had on a busy machine too; even then a burst of others' work may spoil a
// measurement, so that it is repeated.
TEST_P(HypervisorContract, a_higher_cap_is_more_progress) {
  constexpr Yield kLow{20'000};
  constexpr Yield kHigh{100'000};
  run(backend_->endless());  // a guest that boots at the lower cap takes minutes
  double speedup = 0;
  for (int i = 0; i < 4 && speedup < backend_->least_speedup(); ++i) {
    ASSERT_EQ(act(Cap{next(), kLow}), kDone);
    backend_->let_pass({300'000});
    const std::int64_t slow = progress_in(seconds(3));
    ASSERT_GT(slow, 0);
    ASSERT_EQ(act(Cap{next(), kHigh}), kDone);
    backend_->let_pass({300'000});
    speedup = static_cast<double>(progress_in(seconds(3))) / static_cast<double>(slow);
  }
  EXPECT_GE(speedup, backend_->least_speedup());
}

TEST_P(HypervisorContract, a_suspended_vm_stands_still_and_keeps_its_place) {
  run(backend_->endless());
  ASSERT_EQ(act(Suspend{next()}), kDone);
  backend_->let_pass({200'000});  // what is on its way to the console arrives
  EXPECT_EQ(progress_in(kWhile), 0);
  EXPECT_EQ(look().fact, VmFact::paused);
  EXPECT_EQ(look().node, NodeId{0});
  ASSERT_EQ(act(Release{next()}), kDone);
  const std::int64_t then = progress();
  EXPECT_TRUE(passes_until([&] { return progress() > then; }, seconds(20)));
}

TEST_P(HypervisorContract, a_saved_vm_holds_no_node_and_goes_on_where_it_was_saved) {
  run(backend_->endless());
  ASSERT_EQ(act(Save{next(), NodeId{0}}), kDone);
  EXPECT_EQ(look().fact, VmFact::saved);
  const std::int64_t then = progress();
  ASSERT_EQ(act(Restore{next(), other(), kHalf}), kDone);
  place(other().raw);
  EXPECT_EQ(look().fact, VmFact::paused);
  EXPECT_EQ(look().node, other());
  EXPECT_EQ(progress_in(kWhile), 0);
  ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_TRUE(passes_until([&] { return progress() > then; }, seconds(20)));
  ASSERT_EQ(act(Save{next(), other()}), kDone);  // a second image takes the place of the first
  EXPECT_EQ(look().fact, VmFact::saved);
  const std::int64_t later = progress();
  ASSERT_EQ(act(Restore{next(), NodeId{0}, kFullYield}), kDone);
  place(0);
  ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_TRUE(passes_until([&] { return progress() > later; }, seconds(20)));
}

TEST_P(HypervisorContract, a_migrated_vm_runs_on_the_other_node_and_loses_nothing) {
  if (!backend_->migrates()) GTEST_SKIP() << "this backend does not migrate VMs";
  run(backend_->endless(), kHalf);
  ASSERT_EQ(act(Migrate{next(), NodeId{0}, other()}), kDone);
  place(other().raw);
  EXPECT_EQ(look().fact, VmFact::running);
  EXPECT_EQ(look().node, other());
  EXPECT_TRUE(goes_on());
  ASSERT_EQ(act(Migrate{next(), other(), NodeId{0}}), kDone);
  place(0);
  EXPECT_EQ(look().node, NodeId{0});
  EXPECT_TRUE(goes_on());
}

TEST_P(HypervisorContract, a_suspended_vm_is_still_suspended_after_a_migration) {
  if (!backend_->migrates()) GTEST_SKIP() << "this backend does not migrate VMs";
  run(backend_->endless());
  ASSERT_EQ(act(Suspend{next()}), kDone);
  ASSERT_EQ(act(Migrate{next(), NodeId{0}, other()}), kDone);
  place(other().raw);
  EXPECT_EQ(look().fact, VmFact::paused);
  EXPECT_EQ(look().node, other());
  ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_TRUE(goes_on());
}

TEST_P(HypervisorContract, the_cpu_time_of_a_vm_adds_up_over_saves_and_migrations) {
  run(backend_->endless(), kQuarter);
  backend_->let_pass(seconds(2));
  const Duration first = cpu_time(0);
  EXPECT_GT(first, Duration{});
  ASSERT_EQ(act(Save{next(), NodeId{0}}), kDone);
  ASSERT_EQ(act(Restore{next(), other(), kLittle}), kDone);
  place(other().raw);
  const Duration restored = cpu_time(other().raw);
  EXPECT_GE(restored, first);
  ASSERT_EQ(act(Release{next()}), kDone);
  if (!backend_->migrates()) return;
  ASSERT_EQ(act(Migrate{next(), other(), NodeId{0}}), kDone);
  place(0);
  EXPECT_GE(cpu_time(0), restored);
}

// Whether the abort comes in time is chance; that outcome and place agree is law.
TEST_P(HypervisorContract, an_aborted_migration_leaves_the_vm_where_its_outcome_says) {
  if (!backend_->migrates()) GTEST_SKIP() << "this backend does not migrate VMs";
  run(backend_->endless(), kQuarter);
  const Action migrate = Migrate{next(), NodeId{0}, other()};
  const Action abort = Abort{next(), head(migrate).op};
  start_only(migrate);
  start_only(abort);
  EXPECT_EQ(wait_for_outcomes(abort).size(), 1U);
  const std::vector<Outcome> moved = wait_for_outcomes(migrate);
  ASSERT_EQ(moved.size(), 1U);
  place(moved[0].error ? 0 : other().raw);
  EXPECT_EQ(look().fact, VmFact::running);
  EXPECT_EQ(look().node, moved[0].error ? NodeId{0} : other());
  EXPECT_TRUE(goes_on());
}

TEST_P(HypervisorContract, to_abort_what_is_not_under_way_is_done_already) {
  run(backend_->endless());
  const OpId done_long_ago = head(Action{Release{next()}}).op;
  EXPECT_EQ(act(Abort{next(), done_long_ago}), kDone);
  EXPECT_EQ(look().fact, VmFact::running);
}

TEST_P(HypervisorContract, a_destroyed_vm_is_gone_however_it_was) {
  run(backend_->endless());
  ASSERT_EQ(act(Destroy{next(), NodeId{0}}), kDone);
  EXPECT_EQ(look().fact, VmFact::absent);
  EXPECT_EQ(act(Destroy{next(), NodeId{0}}), kDone) << "gone already";

  run(backend_->endless());
  ASSERT_EQ(act(Save{next(), NodeId{0}}), kDone);
  ASSERT_EQ(act(Destroy{next(), NodeId{0}}), kDone);
  EXPECT_EQ(look().fact, VmFact::absent) << "its image counts as the VM";
  backend_->let_pass({300'000});
  EXPECT_TRUE(log_.all<TaskEnded>().empty()) << "what we destroy does not end";
}

TEST_P(HypervisorContract, a_vm_that_powers_off_has_ended_with_its_exit_code) {
  run(backend_->ending(seconds(2)));
  const auto ended = [&] { return !log_.all<TaskEnded>().empty(); };
  ASSERT_TRUE(passes_until(ended, seconds(60)));
  const TaskEnded end = log_.all<TaskEnded>().front();
  EXPECT_EQ(end.job, spec_->job);
  EXPECT_EQ(end.tasks, (TaskRun{0, 1}));
  EXPECT_EQ(end.incarnation, 1U);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(look().fact, VmFact::ended);
  EXPECT_EQ(look().exit_code, 0);
}

TEST_P(HypervisorContract, every_task_has_its_own_outcome) {
  run(backend_->endless(), kQuarter, 3);
  EXPECT_EQ(act(Suspend{next({1, 1})}), kDone);
  EXPECT_EQ(look(0).fact, VmFact::running);
  EXPECT_EQ(look(1).fact, VmFact::paused);
  EXPECT_EQ(look(2).fact, VmFact::running);
  EXPECT_EQ(act(Cap{next(), kHalf}), kDone);
}

// A restarted manager does not know how far its predecessor came.
TEST_P(HypervisorContract, what_is_done_already_may_be_asked_for_again) {
  if (!backend_->outlives_its_manager()) GTEST_SKIP() << "its VMs die with the manager";
  submit(backend_->endless());
  for (int i = 0; i < 2; ++i) ASSERT_EQ(act(Create{next(), NodeId{0}, kHalf}), kDone);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_TRUE(passes_until([&] { return progress() > 0; }, seconds(20)));
  if (backend_->migrates()) {
    for (int i = 0; i < 2; ++i) ASSERT_EQ(act(Migrate{next(), NodeId{0}, other()}), kDone);
    place(other().raw);
  }
  for (int i = 0; i < 2; ++i) ASSERT_EQ(act(Suspend{next()}), kDone);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(act(Save{next(), spec_->tasks[0].node}), kDone);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(act(Restore{next(), NodeId{0}, kHalf}), kDone);
  place(0);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_EQ(look().fact, VmFact::running);
}

TEST_P(HypervisorContract, a_checkpoint_leaves_the_vms_running_and_says_how_long_they_stood_still) {
  if (!backend_->makes_checkpoints()) GTEST_SKIP() << "this backend makes no checkpoints";
  run(backend_->endless(), kQuarter, 2);
  const std::int64_t before = progress(1);
  for (const Outcome& one : outcomes(Checkpoint{next(), 1})) {
    EXPECT_FALSE(one.error) << one.error->message;
    EXPECT_LE(one.stall, one.took);
  }
  EXPECT_EQ(look(0).fact, VmFact::running);
  EXPECT_EQ(look(1).fact, VmFact::running);
  EXPECT_TRUE(passes_until([&] { return progress(1) > before; }, seconds(20)));
}

// Its VMs are gone: what they did since the checkpoint is done again, and nothing is lost or done twice.
TEST_P(HypervisorContract, a_job_goes_on_from_a_checkpoint_on_the_other_node) {
  if (!backend_->makes_checkpoints()) GTEST_SKIP() << "this backend makes no checkpoints";
  run(backend_->endless(), kHalf);
  ASSERT_EQ(act(Checkpoint{next(), 1}), kDone);
  ASSERT_EQ(act(Suspend{next()}), kDone);
  const std::int64_t then = progress();
  ASSERT_EQ(act(Release{next()}), kDone);
  ASSERT_TRUE(passes_until([&] { return progress() > then; }, seconds(20)));
  ASSERT_EQ(act(Destroy{next(), NodeId{0}}), kDone);
  ASSERT_EQ(act(Restore{next(), other(), kQuarter, 1}), kDone);
  place(other().raw);
  EXPECT_EQ(look().fact, VmFact::paused);
  EXPECT_EQ(look().node, other());
  const std::int64_t back = progress();
  EXPECT_LE(back, then) << "its output is cut, too";
  EXPECT_EQ(progress_in(kWhile), 0);
  ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_TRUE(passes_until([&] { return progress() > back; }, seconds(20)));
}

TEST_P(HypervisorContract, a_checkpoint_is_of_all_vms_of_a_job_wherever_they_are) {
  if (!backend_->makes_checkpoints()) GTEST_SKIP() << "this backend makes no checkpoints";
  submit(backend_->endless(), 2);
  TaskNodes there(NodeId{0}), swapped(other());
  there.append(1, other());
  swapped.append(1, NodeId{0});
  ASSERT_EQ(act(Create{next(), there, kHalf}), kDone);
  place(0, other().raw);
  ASSERT_EQ(act(Release{next()}), kDone);
  const auto both_pass = [&](std::int64_t first, std::int64_t second) {
    return passes_until([&] { return progress(0) > first && progress(1) > second; }, seconds(30));
  };
  ASSERT_TRUE(both_pass(0, 0));
  ASSERT_EQ(act(Checkpoint{next(), 1}), kDone);
  ASSERT_TRUE(both_pass(progress(0), progress(1))) << "they run on";
  ASSERT_EQ(act(Destroy{next(), there}), kDone);
  ASSERT_EQ(act(Restore{next(), swapped, kHalf, 1}), kDone);
  place(other().raw, 0);
  const std::int64_t first = progress(0), second = progress(1);
  ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_TRUE(both_pass(first, second));
}

TEST_P(HypervisorContract, a_job_can_go_back_to_each_checkpoint_that_is_kept_and_to_no_other) {
  if (!backend_->makes_checkpoints()) GTEST_SKIP() << "this backend makes no checkpoints";
  run(backend_->endless(), kHalf);
  ASSERT_EQ(act(Checkpoint{next(), 1}), kDone);
  ASSERT_EQ(act(Checkpoint{next(), 2, {1}}), kDone);
  ASSERT_EQ(act(Checkpoint{next(), 3, {2}}), kDone);
  ASSERT_EQ(act(Destroy{next(), NodeId{0}}), kDone);
  EXPECT_NE(act(Restore{next(), other(), kHalf, 1}), kDone);
  for (const std::uint32_t number : {3U, 2U}) {
    ASSERT_EQ(act(Restore{next(), other(), kHalf, number}), kDone) << number;
    place(other().raw);
    ASSERT_EQ(act(Release{next()}), kDone);
    ASSERT_EQ(act(Destroy{next(), other()}), kDone);
  }
}

TEST_P(HypervisorContract, a_vm_that_was_never_created_is_absent) {
  submit(backend_->endless());
  EXPECT_EQ(look().fact, VmFact::absent);
}

TEST_P(HypervisorContract, a_saved_vm_that_is_not_there_cannot_be_restored) {
  submit(backend_->endless());
  EXPECT_NE(act(Restore{next(), NodeId{0}, kFullYield}), kDone);
  EXPECT_EQ(look().fact, VmFact::absent);
}

}  // namespace
}  // namespace aliquot
