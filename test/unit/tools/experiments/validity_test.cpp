// A simulated run taken for a live one: its costs are found again, and its re-enactment is the same run.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "monitor/codec_step.hpp"
#include "policies/policy.hpp"
#include "tools/experiments/validity/comparison.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {
namespace {

constexpr const char* kPolicy = "GREEDY-PMTN-MIGR";
const ClusterShape kShape{2, 1, {1'000'000'000}};

class JournalFile final : public Observer {
 public:
  explicit JournalFile(const std::string& path) : file_(path) {
    Step first;
    first.events = {Configured{kShape.make_nodes()}, PolicyChanged{kPolicy}};
    file_ << encode_step(first) << "\n";
  }
  void on_step(const Step& step, const ClusterView&) override {
    file_ << encode_step(step) << "\n";
    file_.flush();
  }

 private:
  std::ofstream file_;
};

Workload crowded() {
  Workload workload;
  for (std::uint64_t i = 0; i < 12; ++i) {
    TraceJob job;
    job.id = {i + 1};
    job.submitted = Instant{} + seconds(static_cast<std::int64_t>(20 * i + 1));
    job.tasks = 1 + i % 2;
    job.cpu_need = {kPico * static_cast<std::int64_t>(3 + i % 4) / 10};
    job.memory = {kPico * static_cast<std::int64_t>(1 + i % 5) / 10};
    job.runtime = seconds(static_cast<std::int64_t>(40 + 13 * (i % 6)));
    workload.jobs.push_back(make_job(job, kShape));
  }
  return workload;
}

ModelOptions costly() {
  ModelOptions model;
  const auto set = [&](ActionKind kind, Duration delay, std::int64_t bandwidth) {
    model.delay[static_cast<std::size_t>(kind)] = delay;
    model.bandwidth[static_cast<std::size_t>(kind)] = bandwidth;
  };
  set(ActionKind::create, seconds(2), 0);
  set(ActionKind::save, seconds(1), 100'000'000);
  set(ActionKind::restore, seconds(3), 200'000'000);
  set(ActionKind::migrate, seconds(1), 50'000'000);
  set(ActionKind::cap, {20'000}, 0);
  return model;
}

// The journal of a run on the model, for as long as it is looked at.
class Recorded {
 public:
  explicit Recorded(const ModelOptions& model) {
    const Workload workload = crowded();
    JournalFile journal(path_);
    Simulation simulation(workload, kShape, model, *make_policy(kPolicy), journal);
    const auto done = simulation.run();
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
  }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  ~Recorded() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = ::testing::TempDir() + "validity-" + std::to_string(::getpid()) + ".jsonl";
};

WorkTable true_work() {
  WorkTable table;
  for (const WorkloadJob& job : crowded().jobs) {
    const Int128 work = Int128{job.runtime().raw} * job.submission.demand.need.raw / kMillion;
    const Duration once{static_cast<std::int64_t>(work)};
    table.emplace(job.id, Work{once, once * 2});
  }
  return table;
}

TEST(Validity, WhatActionsCostIsFoundInTheJournal) {
  const auto live = read_live_run(Recorded(costly()).path());
  ASSERT_TRUE(live) << live.error().message;
  EXPECT_EQ(live->policy, kPolicy);
  EXPECT_EQ(live->jobs.size(), 12u);
  const ModelOptions found = model_of(action_costs(live->actions));
  for (const ActionKind kind :
       {ActionKind::create, ActionKind::save, ActionKind::restore, ActionKind::cap}) {
    const auto what = static_cast<std::size_t>(kind);
    EXPECT_NEAR(to_seconds(found.delay[what]), to_seconds(costly().delay[what]), 1e-3) << word(kind);
    EXPECT_NEAR(static_cast<double>(found.bandwidth[what]), static_cast<double>(costly().bandwidth[what]),
                1e-3 * static_cast<double>(costly().bandwidth[what]))
        << word(kind);
  }
}

TEST(Validity, ARunIsReenactedAsItWas) {
  const auto live = read_live_run(Recorded(costly()).path());
  ASSERT_TRUE(live) << live.error().message;
  const auto what = reenactment(*live, true_work(), WorkFrom::measured);
  ASSERT_TRUE(what) << what.error().message;
  const auto same = compare_with_live("costs", *live, *what, model_of(action_costs(live->actions)));
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(same->jobs.size(), 12u);
  EXPECT_LT(same->worst, 1e-3);
  EXPECT_TRUE(same->within_bounds());
  std::uint64_t pauses = 0;
  for (const ComparedJob& job : same->jobs) {
    EXPECT_EQ(job.live.preemptions, job.simulated.preemptions) << job.job.raw;
    EXPECT_EQ(job.live.migrations, job.simulated.migrations) << job.job.raw;
    pauses += job.live.preemptions;
  }
  EXPECT_GT(pauses, 0u) << "the workload pauses nobody and shows nothing";
}

// Their VMs are suspended before they are saved, which takes time.
TEST(Validity, ParallelJobsWithANetworkAreReenactedWithOne) {
  ModelOptions model = costly();
  model.network = true;
  model.delay[static_cast<std::size_t>(ActionKind::suspend)] = seconds(2);
  const auto live = read_live_run(Recorded(model).path());
  ASSERT_TRUE(live) << live.error().message;
  auto what = reenactment(*live, true_work(), WorkFrom::measured);
  ASSERT_TRUE(what) << what.error().message;
  const ModelOptions found = model_of(action_costs(live->actions));
  EXPECT_EQ(found.delay[static_cast<std::size_t>(ActionKind::suspend)], seconds(2)) << "some were paused";
  const auto same = compare_with_live("costs", *live, *what, found);
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_LT(same->worst, 1e-3);
  for (WorkloadJob& job : what->workload.jobs) {
    EXPECT_EQ(job.submission.has_network, job.submission.demand.tasks > 1) << job.id.raw;
    job.submission.has_network = false;
  }
  const auto apart = compare_with_live("apart", *live, *what, found);
  ASSERT_TRUE(apart) << apart.error().message;
  EXPECT_GT(apart->worst, 0.01);
}

TEST(Validity, OtherWorkOrNoCostsGiveOtherTurnarounds) {
  const auto live = read_live_run(Recorded(costly()).path());
  ASSERT_TRUE(live) << live.error().message;
  const auto twice = reenactment(*live, true_work(), WorkFrom::expected);
  ASSERT_TRUE(twice) << twice.error().message;
  const auto slow = compare_with_live("twice", *live, *twice, costly());
  ASSERT_TRUE(slow) << slow.error().message;
  EXPECT_GT(slow->median, 0.5);
  EXPECT_FALSE(slow->within_bounds());
  const auto once = reenactment(*live, true_work(), WorkFrom::measured);
  const auto fast = compare_with_live("free", *live, *once, {});
  ASSERT_TRUE(fast) << fast.error().message;
  ASSERT_TRUE(fast) << fast.error().message;
  EXPECT_GT(fast->worst, 0.01);
}

TEST(Validity, MemoryThatCostsNothingIsNoSlope) {
  std::vector<MeasuredAction> actions;
  for (const auto& [mib, ms] : {std::pair{64, 500}, {128, 400}, {192, 300}})
    actions.push_back({ActionKind::save, {1}, mebibytes(mib), Duration{ms * 1000}, false});
  actions.push_back({ActionKind::save, {1}, mebibytes(64), seconds(30), true});
  const auto costs = action_costs(actions);
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].delay.raw, 400'000);
  EXPECT_EQ(costs[0].bandwidth, 0);
  EXPECT_EQ(costs[0].count, 3u);
  EXPECT_EQ(costs[0].failed, 1u);
}

TEST(Validity, AJobThatIsNotThereIsAnError) {
  const auto live = read_live_run(Recorded(ModelOptions{}).path());
  ASSERT_TRUE(live) << live.error().message;
  WorkTable work = true_work();
  work.emplace(JobId{99}, Work{seconds(1), seconds(1)});
  const auto what = reenactment(*live, work, WorkFrom::measured);
  ASSERT_FALSE(what);
  EXPECT_EQ(what.error().message, "job 99 is not in the journal");
}

}  // namespace
}  // namespace aliquot
