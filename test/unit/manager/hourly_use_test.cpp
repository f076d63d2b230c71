// What users were granted by the hour: the hours of all add up to their jobs, whatever happens between.
#include "manager/hourly_use.hpp"

#include <gtest/gtest.h>

#include <random>

#include "manager/cpu_accounting.hpp"
#include "test/support/scripted_world.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot {
namespace {

using fairness::AccountUser;
using test::OpenStore;
using test::ScriptedWorld;
using test::TemporaryDirectory;

const AccountUser kAda{"lab", 1}, kBob{"lab", 2};

CpuTime cpu(std::int64_t granted, std::int64_t used = 0) { return {seconds(granted), seconds(used)}; }

CpuByUser between(const HourlyUse& hours, std::int64_t first, std::int64_t end) {
  CpuByUser sums;
  hours.add_between(first, end, sums);
  return sums;
}

TEST(HourlyUse, CountsForAnHourWhatIsNewInIt) {
  HourlyUse hours([](std::int64_t) { return CpuByUser{}; });
  hours.admit({1}, kAda, {});
  hours.admit({2}, kAda, cpu(7, 3));  // which the store has
  hours.admit({3}, kBob, {});
  hours.count({{{1}, cpu(10, 1)}, {{2}, cpu(10, 5)}, {{3}, cpu(4)}}, 100);
  hours.count({{{1}, cpu(12, 2)}, {{2}, cpu(10, 5)}, {{3}, cpu(5)}}, 101);
  EXPECT_EQ(between(hours, 100, 101), (CpuByUser{{kAda, cpu(13, 3)}, {kBob, cpu(4)}}));
  EXPECT_EQ(between(hours, 101, 102), (CpuByUser{{kAda, cpu(2, 1)}, {kBob, cpu(1)}}));
  EXPECT_EQ(between(hours, 0, 200), (CpuByUser{{kAda, cpu(15, 4)}, {kBob, cpu(5)}}));
}

TEST(HourlyUse, TheHoursOfAJobAddUpToItsUseAlsoWhenLessIsSaidOfIt) {
  HourlyUse hours([](std::int64_t) { return CpuByUser{}; });
  hours.admit({1}, kAda, {});
  hours.count({{{1}, cpu(10)}}, 100);
  hours.count({{{1}, cpu(9)}}, 100);  // a share has changed an instant before it was counted
  EXPECT_EQ(between(hours, 100, 101), (CpuByUser{{kAda, cpu(9)}}));
}

TEST(HourlyUse, GoesOnWithWhatTheStoreHasOfAnHour) {
  HourlyUse hours([](std::int64_t hour) { return hour == 100 ? CpuByUser{{kAda, cpu(50)}} : CpuByUser{}; });
  EXPECT_EQ(hours.first_hour(), std::numeric_limits<std::int64_t>::max());
  hours.admit({1}, kAda, cpu(50));
  hours.count({{{1}, cpu(52)}}, 100);
  EXPECT_EQ(hours.take_changed(),
            (std::vector<HourUse>{{100, kAda, cpu(52)}, {100, kAda, cpu(2), JobId{1}}}));
  EXPECT_EQ(hours.first_hour(), 100);
}

TEST(HourlyUse, AnHourStaysWhileItMayNotBeOnDisk) {
  HourlyUse hours([](std::int64_t) { return CpuByUser{}; });
  hours.admit({1}, kAda, {});
  hours.count({{{1}, cpu(2)}}, 100);
  hours.count({{{1}, cpu(3)}}, 101);
  EXPECT_EQ(hours.take_changed().size(), 4U) << "of the user and of the job";
  EXPECT_EQ(hours.first_hour(), 100) << "it has only just been handed over";
  EXPECT_TRUE(hours.take_changed().empty());
  EXPECT_EQ(hours.first_hour(), 101) << "the hour that is counted stays";
  EXPECT_TRUE(hours.take_changed().empty());
  EXPECT_EQ(hours.first_hour(), 101);
}

TEST(HourlyUse, CountsTheJobsThatAreAdmittedAndNotForgotten) {
  HourlyUse hours([](std::int64_t) { return CpuByUser{}; });
  for (const std::uint64_t job : {1, 2, 3}) hours.admit({job}, kAda, {});
  hours.count({{{2}, cpu(5)}}, 100);
  hours.forget({3});
  hours.count({{{1}, cpu(4)}, {{2}, cpu(6)}, {{3}, cpu(5)}, {{4}, cpu(5)}}, 100);
  EXPECT_EQ(between(hours, 100, 101), (CpuByUser{{kAda, cpu(10)}}));
}

TEST(HourlyUse, TellsABoundedNumberOfUsersOfAccountsApart) {
  HourlyUse hours([](std::int64_t) { return CpuByUser{}; });
  std::vector<std::pair<JobId, CpuTime>> jobs;
  for (std::uint64_t job = 1; job <= HourlyUse::kMost + 5; ++job) {
    hours.admit({job}, {"a" + std::to_string(job), 1}, {});
    jobs.emplace_back(JobId{job}, cpu(1));
  }
  hours.count(jobs, 100);
  const CpuByUser sums = between(hours, 100, 101);
  EXPECT_EQ(sums.size(), HourlyUse::kMost + 1);
  EXPECT_EQ(sums.at({kOtherAccounts, 1}), cpu(5));
}

// Jobs that come, get other yields and end, while hours pass and the manager is killed now and then.
class RandomLife {
 public:
  explicit RandomLife(std::uint32_t seed) : random_(seed), open_(directory_.file("s.db")) { begin(); }

  void live() {
    for (int turn = 0; turn < 120; ++turn) {
      second_ += pick(1, 900);
      const int what = pick(0, 9);
      if (what == 0) kill();
      if (what < 5) arrive();
      if (what > 6) end();
      if (pick(0, 2) == 0) read();
      if (pick(0, 2) == 0) keep();
    }
  }
  // Two seconds are between two of these, in which the first is on disk.
  void keep() {
    accounting_->keep(now());
    open_.store->flush();
  }
  void kill() {
    second_ += pick(0, 9000);
    begin();
  }
  // Of all users, of the jobs, and as the hours say.
  CpuByUser of_jobs() {
    CpuByUser sums;
    for (const auto& [job, user] : users_)
      if (const auto use = accounting_->use(job, now()))
        sums[user] += {use->granted, use->used() ? use->used()->cpu : Duration{}};
    std::erase_if(sums, [](const auto& sum) { return sum.second == CpuTime{}; });
    return sums;
  }
  CpuByJob of_each_job() {
    CpuByJob all;
    for (const auto& [job, user] : users_) {
      const auto use = accounting_->use(job, now());
      const CpuTime cpu =
          use ? CpuTime{use->granted, use->used() ? use->used()->cpu : Duration{}} : CpuTime{};
      if (cpu != CpuTime{}) all[job] = {user, cpu};
    }
    return all;
  }
  // In pages.
  CpuByJob of_job_hours() {
    CpuByJob all;
    for (JobId after{};;) {
      const CpuByJob page = accounting_->cpu_of_jobs({0, 1'000'000, after, 3}, now());
      all.insert(page.begin(), page.end());
      if (page.size() < 3) break;
      after = page.rbegin()->first;
    }
    std::erase_if(all, [](const auto& each) { return each.second.cpu == CpuTime{}; });
    return all;
  }
  CpuByUser of_hours() {
    CpuByUser sums = accounting_->cpu_between(0, 1'000'000, now());
    std::erase_if(sums, [](const auto& sum) { return sum.second == CpuTime{}; });
    return sums;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  [[nodiscard]] Instant now() const { return Instant{} + seconds(second_); }
  void begin() {
    accounting_.emplace(
        CpuAccounting::Parts{world_.scheduler(), *open_.store, metrics_, speeds_, watts_, calendar_},
        now());
  }
  void step(std::vector<Event> events) {
    Step step = world_.at(second_, std::move(events));
    accounting_->on_step(step, world_.scheduler().cluster().view());
    while (!step.actions.empty()) {
      std::vector<Event> outcomes;
      for (const Action& action : step.actions)
        outcomes.emplace_back(Outcome{head(action).op, head(action).job, head(action).tasks, {}, {}, {}});
      second_ += pick(0, 3);
      step = world_.at(second_, std::move(outcomes));
      accounting_->on_step(step, world_.scheduler().cluster().view());
    }
  }
  void arrive() {
    if (running_.size() >= 4) return;
    const JobId job{users_.size() + 1};
    Submission made = test::submission(1, 1000, 100);
    made.account = pick(0, 1) ? "lab" : "";
    made.uid = static_cast<std::uint32_t>(pick(1, 2));
    users_[job] = {made.account, made.uid};
    running_.push_back(job);
    std::vector<Change> changes;  // in the order of the jobs, else the plan is refused
    for (const auto& [id, other] : world_.scheduler().cluster().view().jobs)
      if (!other.placement.empty()) changes.push_back({id, other.placement, some_yield()});
    changes.push_back({job, {{{static_cast<std::uint32_t>(pick(0, 1))}, 1}}, some_yield()});
    world_.will_decide(std::move(changes));
    step({Submitted{job, made}});
  }
  void end() {
    if (running_.empty()) return;
    step({TaskEnded{running_.back(), {0, 1}, 1, 0, ""}});
    running_.pop_back();
  }
  Yield some_yield() { return {pick(1, 240'000)}; }
  void read() {
    std::vector<VmUsage> readings;
    for (const JobId job : running_) {
      used_[job] += seconds(pick(0, 20));
      readings.push_back({job, 0, 1, 1, {0}, 1, {used_[job], Duration{}, Duration{}}});
    }
    accounting_->read(readings, now());
  }

  std::mt19937 random_;
  std::int64_t second_ = 1000;
  TemporaryDirectory directory_;
  OpenStore open_;
  ScriptedWorld world_{{test::node(0), test::node(1)}};
  Metrics metrics_{MetricsOptions{"1", "a", "9", {}, {}}};
  std::vector<std::int64_t> speeds_{kMillion / 3, kMillion};
  ChargedWatts watts_ = [](NodeId) { return power::watts(200); };
  Calendar calendar_{std::int64_t{17} * kMillion};
  std::map<JobId, AccountUser> users_;
  std::map<JobId, Duration> used_;
  std::vector<JobId> running_;
  std::optional<CpuAccounting> accounting_;
};

TEST(HourlyUse, TheHoursAddUpToTheJobsHoweverOftenTheManagerIsKilled) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    RandomLife life(seed);
    for (int part = 0; part < 3; ++part) {
      life.live();
      EXPECT_GT(life.of_jobs().size(), 2U) << "seed " << seed;
      EXPECT_EQ(life.of_hours(), life.of_jobs()) << "seed " << seed;
      EXPECT_EQ(life.of_job_hours(), life.of_each_job()) << "seed " << seed;
      life.kill();
      EXPECT_EQ(life.of_hours(), life.of_jobs()) << "after a kill, seed " << seed;
      EXPECT_EQ(life.of_job_hours(), life.of_each_job()) << "after a kill, seed " << seed;
    }
  }
}

}  // namespace

// For what a failed test prints.
void PrintTo(const CpuTime& cpu, std::ostream* out) {
  *out << "granted " << cpu.granted.raw << " us, used " << cpu.used.raw << " us";
}

}  // namespace aliquot
