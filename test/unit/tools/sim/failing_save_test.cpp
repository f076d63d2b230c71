// Storage that accepts no memory image, on the model with injected faults: the job to pause runs on, the
// job that was to take its place waits, no job is lost, and there are few attempts.
#include <gtest/gtest.h>

#include <map>

#include "policies/policy.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kSave = static_cast<std::size_t>(ActionKind::save);

struct Seen {
  int saves = 0;
  std::map<JobId, JobOutcome> ended;
};

class Watcher final : public Observer {
 public:
  explicit Watcher(Seen& seen) : seen_(seen) {}
  void on_step(const Step& step, const ClusterView&) override {
    for (const Action& action : step.actions) seen_.saves += kind(action) == ActionKind::save;
    for (const JobOutcome& outcome : step.ended) seen_.ended.emplace(outcome.job, outcome);
  }

 private:
  Seen& seen_;
};

TraceJob job(std::uint64_t id, std::int64_t submitted, std::int64_t runtime) {
  TraceJob made;
  made.id = {id};
  made.submitted = Instant{} + seconds(submitted);
  made.cpu_need = {kPico};
  made.memory = {kPico * 6 / 10};  // two of them do not fit
  made.runtime = seconds(runtime);
  return made;
}

// The long job is paused for the short one, or would be.
Seen one_node(std::uint32_t fail_per_million) {
  const ClusterShape shape{1, 1, {1'000'000'000}};
  Workload workload;
  workload.jobs = {make_job(job(1, 0, 3000), shape), make_job(job(2, 600, 100), shape)};
  ModelOptions model;
  model.seed = 5;
  model.fail[kSave] = fail_per_million;
  Seen seen;
  Watcher watcher(seen);
  Simulation simulation(workload, shape, model, *make_policy("GREEDY-PMTN"), watcher);
  const auto done = simulation.run();
  EXPECT_TRUE(done) << (done ? "" : done.error().message);
  EXPECT_TRUE(simulation.hypervisor().checker().violations().empty());
  return seen;
}

TEST(FailingSave, WithoutFaultsTheLongJobIsPausedForTheShortOne) {
  const Seen seen = one_node(0);
  EXPECT_EQ(seen.saves, 1);
  EXPECT_EQ(seen.ended.at({2}).ended, Instant{} + seconds(700));
}

TEST(FailingSave, ForEverLetsTheLongJobRunOnAndTheShortOneWait) {
  const Seen seen = one_node(1'000'000);
  const JobOutcome& first = seen.ended.at({1});
  const JobOutcome& second = seen.ended.at({2});
  EXPECT_EQ(first.result, JobResult::completed);
  EXPECT_EQ(first.virtual_time, seconds(3000) * kFullYield);
  EXPECT_EQ(first.ended, Instant{} + seconds(3000)) << "it lost time to attempts that failed";
  EXPECT_EQ(second.result, JobResult::completed);
  EXPECT_EQ(*second.started, first.ended);
  EXPECT_LE(seen.saves, 10) << "in 2400 s";
  EXPECT_GE(seen.saves, 7);
}

TEST(FailingSave, ThatIsMendedPausesTheJobAfterAllAndLeavesNoComplaint) {
  const Seen seen = one_node(700'000);
  EXPECT_GT(seen.saves, 1);
  EXPECT_LT(seen.ended.at({2}).ended, seen.ended.at({1}).ended);
  for (const auto& [id, outcome] : seen.ended) {
    EXPECT_EQ(outcome.result, JobResult::completed);
    EXPECT_EQ(outcome.note, "");
  }
}

}  // namespace
}  // namespace aliquot
