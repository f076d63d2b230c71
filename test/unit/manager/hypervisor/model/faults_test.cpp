// What goes wrong, by seed, and what is answered then.
#include <gtest/gtest.h>

#include "test/unit/manager/hypervisor/model/one_job.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kAlways = 1'000'000;

ModelOptions failing(ActionKind kind) {
  ModelOptions options;
  options.fail[static_cast<std::size_t>(kind)] = kAlways;
  return options;
}

VmFact ask(OneJob& job, std::uint32_t incarnation, std::vector<NodeId> nodes = {{0}}) {
  job.model.inspect({{JobId{7}, 0, incarnation, std::move(nodes)}});
  const auto events = job.model.take_due(job.now);
  return std::get<Inspected>(events.at(0)).fact;
}

TEST(ModelFaults, AFailureDoesNothing) {
  OneJob create(failing(ActionKind::create));
  EXPECT_TRUE(outcome(create.tell(Create{{}, {{0}}, kFullYield}))->error);
  EXPECT_EQ(ask(create, 1), VmFact::absent);

  OneJob save(failing(ActionKind::save));
  save.start();
  EXPECT_TRUE(outcome(save.tell(Save{{}, {{0}}}))->error);
  EXPECT_EQ(ask(save, 1), VmFact::running);

  OneJob restore(failing(ActionKind::restore));
  restore.start();
  (void)restore.tell(Save{{}, {{0}}});
  EXPECT_TRUE(outcome(restore.tell(Restore{{}, {{0}}, kFullYield}))->error);
  EXPECT_EQ(ask(restore, 1), VmFact::saved);

  OneJob migrate(failing(ActionKind::migrate));
  migrate.start();
  EXPECT_TRUE(outcome(migrate.tell(Migrate{{}, {{0}}, {{1}}}))->error);
  EXPECT_EQ(migrate.model.checker().memory_used({0}), Memory{400});
  EXPECT_EQ(migrate.model.checker().memory_used({1}), Memory{});
}

TEST(ModelFaults, ALostOutcomeIsATimeoutAfterTheDeadline) {
  ModelOptions options;
  options.lost = kAlways;
  OneJob job(options);
  EXPECT_TRUE(job.tell(Create{{}, {{0}}, kFullYield}).empty());
  EXPECT_EQ(ask(job, 1), VmFact::unknown);
  const auto events = job.wait();
  EXPECT_EQ(job.now, Instant{seconds(30).raw});
  EXPECT_EQ(outcome(events)->error->kind, ErrorKind::timeout);
  EXPECT_NE(ask(job, 1), VmFact::unknown);
}

TEST(ModelFaults, AnAbortMakesItsTargetFail) {
  ModelOptions options;
  options.delay[static_cast<std::size_t>(ActionKind::migrate)] = seconds(5);
  OneJob job(options);
  job.start();
  (void)job.tell(Migrate{{}, {{0}}, {{1}}});
  const OpId migration{job.op};
  const auto events = job.tell(Abort{{}, migration});
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<Outcome>(events[0]).op, migration);
  EXPECT_TRUE(std::get<Outcome>(events[0]).error);
  EXPECT_FALSE(std::get<Outcome>(events[1]).error);
  EXPECT_EQ(job.model.checker().memory_used({1}), Memory{});
  job.go_to(5);
  EXPECT_TRUE(job.model.take_due(job.now).empty());  // its outcome came once
}

TEST(ModelFaults, ACrashEndsATaskWithoutAnExitCode) {
  int crashed = 0;
  for (std::uint64_t seed = 1; seed <= 32; ++seed) {
    ModelOptions options;
    options.crash = kAlways;  // some time within twice its run time
    options.seed = seed;
    OneJob job(options);
    job.start();
    const auto events = job.wait();
    const bool in_time = job.now < Instant{seconds(100).raw};
    crashed += in_time;
    EXPECT_EQ(std::get<TaskEnded>(events.at(0)).exit_code.has_value(), !in_time);
    EXPECT_EQ(job.model.killed({7}), in_time);
    EXPECT_EQ(job.model.leftovers(), 0U);
  }
  EXPECT_GT(crashed, 0);
  EXPECT_LT(crashed, 32);
}

TEST(ModelFaults, ASilentNodeTellsOfWhatEndedWhenItIsBack) {
  ModelOptions options;
  options.outages = {{{0}, {seconds(50).raw}, seconds(100), false}};
  OneJob job(options);
  job.start();
  EXPECT_EQ(std::get<NodeChanged>(job.wait().at(0)).state, NodeState::suspect);
  EXPECT_EQ(ask(job, 1), VmFact::unknown);
  job.go_to(120);
  EXPECT_TRUE(job.model.take_due(job.now).empty());  // it ended at 100, unseen
  job.go_to(150);
  const auto events = job.model.take_due(job.now);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<TaskEnded>(events[0]).exit_code, 5);
  EXPECT_EQ(std::get<NodeChanged>(events[1]).state, NodeState::up);
}

TEST(ModelFaults, ADeadNodeTakesItsVmsAlong) {
  ModelOptions options;
  options.outages = {{{0}, {seconds(50).raw}, seconds(10), true}};
  OneJob job(options);
  job.start();
  EXPECT_EQ(std::get<NodeChanged>(job.wait().at(0)).state, NodeState::down);
  EXPECT_TRUE(job.model.killed({7}));
  (void)job.wait();
  EXPECT_EQ(ask(job, 1), VmFact::absent);
  EXPECT_EQ(job.model.checker().memory_used({0}), Memory{});
}

TEST(ModelFaults, TheSameSeedGivesTheSameFaults) {
  const auto failures = [](std::uint64_t seed) {
    ModelOptions options = failing(ActionKind::create);
    options.fail.fill(500'000);
    options.seed = seed;
    OneJob job(options);
    std::string pattern;
    for (int i = 0; i < 64; ++i) {
      pattern += outcome(job.tell(Create{{}, {{0}}, kFullYield}))->error ? 'x' : '.';
      (void)job.tell(Destroy{{}, {{0}}});
      (void)job.tell(Destroy{{}, {{0}}});
    }
    return pattern;
  };
  EXPECT_EQ(failures(1), failures(1));
  EXPECT_NE(failures(1), failures(2));
}

}  // namespace
}  // namespace aliquot
