// CPU accounting over the life of a job, and over the death of the manager.
#include "manager/cpu_accounting.hpp"

#include <gtest/gtest.h>

#include "test/support/scripted_world.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot {
namespace {

using test::OpenStore;
using test::ScriptedWorld;
using test::submission;
using test::TemporaryDirectory;

constexpr JobId kJob{1};

Instant at(std::int64_t second) { return Instant{} + seconds(second); }

// One job of one core, on the first of two nodes at half its need from second 10 on.
class Accounting : public testing::Test {
 protected:
  Accounting() : open_(directory_.file("s.db")) {}

  void observe(const Step& step) { accounting_->on_step(step, world_.scheduler().cluster().view()); }
  // Every action under way succeeds.
  void complete(Step step, std::int64_t second) {
    while (!step.actions.empty()) {
      std::vector<Event> outcomes;
      for (const Action& action : step.actions)
        outcomes.emplace_back(Outcome{head(action).op, head(action).job, head(action).tasks, {}, {}, {}});
      step = world_.at(second, std::move(outcomes));
      observe(step);
    }
  }
  void start_job() {
    world_.will_decide({{kJob, {{{0}, 1}}, Yield{500'000}}});
    const Step step = world_.at(8, {Submitted{kJob, submission(1, 1000, 100)}});
    observe(step);
    complete(step, 10);
  }
  void read(std::int64_t run, std::int64_t cpu, std::int64_t second) {
    accounting_->read({{kJob, 0, 1, run, {0}, 1, {seconds(cpu), Duration{}, Duration{}}}}, at(second));
  }
  void end_job(std::int64_t second) {
    const Step step = world_.at(second, {TaskEnded{kJob, {0, 1}, 1, 0, ""}});
    observe(step);
    complete(step, second + 1);
    stored_.ended = step.ended;
    open_.store->append(stored_);
  }
  AccountRow account(std::int64_t second) { return accounting_->accounts(at(second))[""]; }
  void begin(std::int64_t second) { accounting_.emplace(parts(), at(second)); }
  CpuAccounting::Parts parts() {
    return {world_.scheduler(), *open_.store, metrics_, speeds_, watts_, calendar_};
  }

  Step stored_{1, {}, {}, {}, {}, {}};
  TemporaryDirectory directory_;
  OpenStore open_;
  ScriptedWorld world_{{test::node(0), test::node(1)}};
  Metrics metrics_{MetricsOptions{"1", "a", "9", {}, {}}};
  std::vector<std::int64_t> speeds_{kMillion / 2, kMillion};  // the first node's cores are half as fast
  std::optional<power::Watts> measured_;                      // of every node
  ChargedWatts watts_ = [this](NodeId) { return measured_.value_or(power::watts(200)); };
  Calendar calendar_;
  std::optional<CpuAccounting> accounting_;
};

TEST_F(Accounting, CountsInTheNodesOwnCores) {
  begin(0);
  start_job();
  const auto use = accounting_->use(kJob, at(20));
  ASSERT_TRUE(use);
  EXPECT_EQ(use->promised, seconds(12)) << "half a reference core is one of its own";
  EXPECT_EQ(use->granted, seconds(10)) << "not while it was being created";
  EXPECT_EQ(use->energy.to_joules(), 12 * 200 / 2) << "half of a node of one core, at full draw";
  EXPECT_EQ(use->used(), std::nullopt);
  read(1, 9, 20);
  EXPECT_EQ(accounting_->use(kJob, at(20))->used()->cpu, seconds(9));
}

TEST_F(Accounting, ChargesThePartOfWhatIsMeasured) {
  begin(0);
  start_job();
  measured_ = power::watts(100);
  accounting_->draw_changed({0}, at(10));
  EXPECT_EQ(accounting_->use(kJob, at(20))->energy.to_joules(), (2 * 200 + 10 * 100) / 2);
  measured_.reset();
  accounting_->draw_changed({1}, at(20));
  EXPECT_EQ(accounting_->use(kJob, at(30))->energy.to_joules(), (2 * 200 + 20 * 100) / 2)
      << "it is not on that node";
}

TEST_F(Accounting, LosesNothingThatWasReadWhenTheManagerIsKilled) {
  begin(0);
  start_job();
  read(1, 9, 20);
  accounting_->keep(at(20));
  read(1, 11, 22);  // after what was kept last
  open_.store->flush();
  begin(30);
  EXPECT_EQ(accounting_->use(kJob, at(30))->used()->cpu, seconds(9));
  EXPECT_EQ(accounting_->use(kJob, at(30))->granted, seconds(20)) << "its VM ran on";
  read(1, 18, 30);
  EXPECT_EQ(accounting_->use(kJob, at(30))->used()->cpu, seconds(18)) << "the counters tell it again";
  EXPECT_EQ(accounting_->use(kJob, at(30))->runs.size(), 1U);
}

TEST_F(Accounting, KeepsNothingOfAJobThatWaits) {
  begin(0);
  observe(world_.at(8, {Submitted{kJob, submission(1, 1000, 100)}}));
  accounting_->keep(at(20));
  open_.store->flush();
  EXPECT_EQ(open_.store->cpu_use(kJob), std::nullopt);
  EXPECT_EQ(accounting_->use(kJob, at(20))->granted, Duration{}) << "it is known all the same";
  begin(30);
  accounting_->keep(at(40));
  open_.store->flush();
  EXPECT_EQ(open_.store->cpu_use(kJob), std::nullopt);
}

TEST_F(Accounting, GrantsAJobNothingForTheTimeThatItWaitedBeforeTheManagerWasKilled) {
  begin(0);
  start_job();
  accounting_->keep(at(20));
  const JobId later{2};
  observe(world_.at(30, {Submitted{later, submission(1, 1000, 100)}}));
  end_job(40);
  accounting_->keep(at(40));
  open_.store->flush();
  // It begins after what was kept last, of which it is no part.
  world_.will_decide({{later, {{{1}, 1}}, kFullYield}});
  const Step step = world_.at(100, {Submitted{{3}, submission(1, 1000, 100)}});
  observe(step);
  complete(step, 101);
  begin(110);
  EXPECT_EQ(accounting_->use(later, at(110))->granted, seconds(10)) << "from when it was placed";
  const CpuTime of_hour = accounting_->cpu_between(0, 1, at(110))[{"", 0}];
  EXPECT_EQ(of_hour.granted, seconds(30 + 10));
}

TEST_F(Accounting, CountsTheEarlierRunsOfAPausedJobOnceThoughTheManagerIsKilled) {
  begin(0);
  start_job();
  read(1, 9, 20);
  world_.will_decide({{kJob, {}, {}}});
  const Step paused = world_.at(20, {Submitted{{2}, submission(1, 1000, 100)}});
  observe(paused);
  complete(paused, 20);
  accounting_->keep(at(22));
  open_.store->flush();
  begin(30);
  accounting_->keep(at(32));
  world_.will_decide({{kJob, {{{0}, 1}}, Yield{500'000}}});
  const Step resumed = world_.at(40, {Submitted{{3}, submission(1, 1000, 100)}});
  observe(resumed);
  complete(resumed, 40);
  read(2, 5, 50);
  EXPECT_EQ(accounting_->use(kJob, at(50))->granted, seconds(20));
  const CpuTime of_hour = accounting_->cpu_between(0, 1, at(50))[{"", 0}];
  EXPECT_EQ(of_hour.granted, seconds(20));
  EXPECT_EQ(of_hour.used, seconds(14));
}

TEST_F(Accounting, KnowsAJobThatHasEnded) {
  begin(0);
  start_job();
  read(1, 9, 20);
  const Step step = world_.at(30, {TaskEnded{kJob, {0, 1}, 1, 0, ""}});
  observe(step);
  complete(step, 31);
  accounting_->keep(at(31));
  accounting_->keep(at(60));
  open_.store->flush();
  const auto use = accounting_->use(kJob, at(60));
  ASSERT_TRUE(use);
  EXPECT_EQ(use->granted, seconds(20));
  EXPECT_EQ(use->used()->cpu, seconds(9));
}

TEST_F(Accounting, DividesAGrantWhereTheHourEnds) {
  calendar_ = Calendar(std::int64_t{3600 - 17} * kMillion);  // an hour ends at second 17
  begin(0);
  start_job();
  read(1, 3, 15);
  read(1, 9, 19);
  const fairness::AccountUser user{"", 0};
  const auto of_hour = [&](std::int64_t hour, std::int64_t second) {
    return accounting_->cpu_between(hour, hour + 1, at(second))[user];
  };
  EXPECT_EQ(of_hour(0, 20).granted, seconds(7)) << "from second 10 on";
  EXPECT_EQ(of_hour(0, 20).used, seconds(3));
  EXPECT_EQ(of_hour(1, 20).granted, seconds(3));
  EXPECT_EQ(of_hour(1, 20).used, seconds(6));
  accounting_->keep(at(20));
  open_.store->flush();
  begin(20 + 7200);  // two more hours have ended meanwhile
  for (const std::int64_t hour : {1, 2}) EXPECT_EQ(of_hour(hour, 20 + 7200).granted, seconds(3600));
  EXPECT_EQ(of_hour(3, 20 + 7200).granted, seconds(3));
  EXPECT_EQ(accounting_->use(kJob, at(20 + 7200))->granted, seconds(10 + 7200));
}

TEST_F(Accounting, CountsAShareThatChangesAfterTheHourForTheNextOne) {
  calendar_ = Calendar(std::int64_t{3600 - 17} * kMillion);
  begin(0);
  start_job();
  end_job(30);
  const auto of_hour = [&](std::int64_t hour) {
    return accounting_->cpu_between(hour, hour + 1, at(40))[{"", 0}].granted;
  };
  EXPECT_EQ(of_hour(0), seconds(7));
  EXPECT_EQ(of_hour(1), seconds(13));
}

TEST_F(Accounting, AnAccountIsTheSumOfItsJobs) {
  begin(0);
  start_job();
  read(1, 9, 20);
  const AccountRow lives = account(20);
  EXPECT_EQ(lives.jobs, (std::map<JobState, std::uint64_t>{{JobState::running, 1}}));
  EXPECT_EQ(lives.cpu.granted, seconds(10));
  EXPECT_EQ(lives.cpu.used.sum, seconds(9));
  EXPECT_EQ(lives.so_far.jobs, 1U);
  end_job(30);
  const AccountRow over = account(31);
  EXPECT_EQ(over.jobs.at(JobState::completed), 1U);
  EXPECT_FALSE(over.jobs.contains(JobState::running));
  EXPECT_EQ(over.cpu.granted, seconds(20));
  EXPECT_EQ(over.so_far.jobs, 0U);
  read(1, 12, 32);  // of a VM that has gone: its last reading was under way
  EXPECT_EQ(account(33).cpu.used.sum, seconds(12));
}

TEST_F(Accounting, CountsAnEndedJobOnceHoweverOftenTheManagerDies) {
  begin(0);
  start_job();
  read(1, 9, 20);
  end_job(30);
  accounting_->keep(at(31));  // its CPU, but not yet its account
  open_.store->flush();
  EXPECT_EQ(open_.store->uncounted().size(), 1U);
  for (const std::int64_t second : {32, 60, 90}) {  // each time anew, from the store
    begin(second);
    open_.store->flush();
    EXPECT_EQ(account(second).jobs.at(JobState::completed), 1U);
    EXPECT_EQ(account(second).cpu.used.sum, seconds(9));
    EXPECT_TRUE(open_.store->uncounted().empty());
  }
}

TEST_F(Accounting, CountsAnEndedJobWhenItsLastReadingsAreIn) {
  begin(0);
  start_job();
  end_job(30);
  accounting_->keep(at(34));
  open_.store->flush();
  EXPECT_TRUE(open_.store->accounts().empty());
  read(1, 12, 34);
  accounting_->keep(at(36));
  open_.store->flush();
  ASSERT_EQ(open_.store->accounts().size(), 1U);
  EXPECT_EQ(open_.store->accounts()[0].second.cpu.used.sum, seconds(12));
  EXPECT_EQ(account(40).jobs.at(JobState::completed), 1U);
}

TEST_F(Accounting, TellsABoundedNumberOfAccountsApart) {
  AccountTotals accounts(*open_.store);
  for (std::uint64_t job = 1; job <= AccountTotals::kMost + 5; ++job) {
    JobOutcome outcome;
    outcome.job = {job};
    Submission named = submission(1, 1000, 100);
    named.account = "a" + std::to_string(job);
    outcome.submission = named;
    accounts.ended(outcome, at(0));
  }
  const auto nothing = [](JobId) { return std::optional<JobUse>{}; };
  accounts.count(at(60), nothing);
  const AccountRows rows = accounts.rows(nothing);
  EXPECT_EQ(rows.size(), AccountTotals::kMost + 1);
  EXPECT_EQ(rows.at(kOtherAccounts).jobs.at(JobState::completed), 5U);
}

}  // namespace
}  // namespace aliquot
