// Jobs of several tasks that have a network, on the model: they are paused as one, or not at all.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "policies/policy.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {
namespace {

constexpr auto at(ActionKind kind) { return static_cast<std::size_t>(kind); }

// What was done to the long job, each word once in a row, and what became of both.
struct Seen {
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& each : done) all += (all.empty() ? "" : " ") + each;
    return all;
  }
  std::vector<std::string> done;
  std::map<JobId, JobOutcome> ended;
};

class Watcher final : public Observer {
 public:
  explicit Watcher(Seen& seen) : seen_(seen) {}
  void on_step(const Step& step, const ClusterView&) override {
    for (const Action& action : step.actions)
      if (head(action).job == JobId{1} && (seen_.done.empty() || seen_.done.back() != word(action)))
        seen_.done.emplace_back(word(action));
    for (const JobOutcome& outcome : step.ended) seen_.ended.emplace(outcome.job, outcome);
  }

 private:
  Seen& seen_;
};

TraceJob job(std::uint64_t id, std::int64_t submitted, std::int64_t runtime, std::uint32_t tasks) {
  TraceJob made;
  made.id = {id};
  made.submitted = Instant{} + seconds(submitted);
  made.tasks = tasks;
  made.cpu_need = {kPico};
  made.memory = {kPico * 6 / 10};  // two of them do not fit one node
  made.runtime = seconds(runtime);
  return made;
}

// A long job of two tasks on two nodes is paused for a short one of one task, or would be.
Seen two_nodes(const ModelOptions& model) {
  const ClusterShape shape{2, 1, {1'000'000'000}};
  Workload workload;
  workload.jobs = {make_job(job(1, 0, 3000, 2), shape), make_job(job(2, 600, 100, 1), shape)};
  Seen seen;
  Watcher watcher(seen);
  Simulation simulation(workload, shape, model, *make_policy("GREEDY-PMTN"), watcher);
  const auto done = simulation.run();
  EXPECT_TRUE(done) << (done ? "" : done.error().message);
  EXPECT_TRUE(simulation.hypervisor().checker().violations().empty());
  return seen;
}

TEST(ParallelRun, WithoutANetworkTheJobIsSavedAtOnce) {
  EXPECT_EQ(two_nodes({}).text(), "create release save restore release");
}

TEST(ParallelRun, WithOneAllOfItStandsStillFirst) {
  ModelOptions model;
  model.network = true;
  EXPECT_EQ(two_nodes(model).text(), "create release suspend save restore release");
}

// 600 s of work, 10 s to save, the short job until 710 s, 20 s to restore: whichever task is the last.
TEST(ParallelRun, ItIsSavedAndRestoredAsAWhole) {
  ModelOptions model;
  model.network = true;
  model.delay[at(ActionKind::save)] = seconds(10);
  model.delay[at(ActionKind::restore)] = seconds(20);
  const Seen seen = two_nodes(model);
  EXPECT_EQ(seen.ended.at({2}).ended, Instant{} + seconds(710));
  EXPECT_EQ(seen.ended.at({1}).ended, Instant{} + seconds(710 + 20 + 2400));
}

TEST(ParallelRun, IfOneTaskCannotBeSavedAllRunOn) {
  ModelOptions model;
  model.network = true;
  model.seed = 5;
  model.fail[at(ActionKind::save)] = 500'000;
  int brought_back = 0;
  for (model.seed = 1; model.seed <= 20; ++model.seed) {
    const Seen seen = two_nodes(model);
    EXPECT_EQ(seen.ended.at({1}).result, JobResult::completed);
    EXPECT_EQ(seen.ended.at({1}).virtual_time, seconds(3000) * kFullYield)
        << "work was lost, or done twice";
    EXPECT_EQ(seen.ended.at({1}).note, "");
    brought_back += seen.text().starts_with("create release suspend save restore release suspend");
  }
  EXPECT_GT(brought_back, 3);
}

TEST(ParallelRun, StorageThatNeverTakesItLetsItRunToItsEnd) {
  ModelOptions model;
  model.network = true;
  model.fail[at(ActionKind::save)] = 1'000'000;
  const Seen seen = two_nodes(model);
  EXPECT_EQ(seen.ended.at({1}).ended, Instant{} + seconds(3000)) << "it lost time to attempts that failed";
  EXPECT_GE(seen.ended.at({2}).ended, seen.ended.at({1}).ended);
}

}  // namespace
}  // namespace aliquot
