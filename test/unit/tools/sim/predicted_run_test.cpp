// A simulated policy that reads predictions: each job is predicted at its submission, from what has ended.
#include <gtest/gtest.h>

#include <map>

#include "policies/policy.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {
namespace {

using Predicted = std::map<std::uint64_t, std::optional<Duration>>;

class Watcher final : public Collector {
 public:
  void on_step(const Step& step, const ClusterView& after) override {
    Collector::on_step(step, after);
    for (const Event& event : step.events)
      if (const auto* submitted = std::get_if<Submitted>(&event))
        predicted[submitted->job.raw] = submitted->submission->demand.predicted;
  }
  Predicted predicted;
};

// Every 100 s a job of this user, which asks for an hour and takes 40 s.
Workload workload_of(std::uint32_t user, std::uint64_t jobs) {
  ClusterShape shape;
  shape.nodes = 2;
  Workload workload;
  for (std::uint64_t k = 0; k < jobs; ++k) {
    TraceJob job;
    job.id.raw = k + 1;
    job.submitted = Instant{} + seconds(100) * static_cast<std::int64_t>(k);
    job.cpu_need = job.memory = Decimal{kPico};
    job.runtime = seconds(40);
    job.estimate = seconds(3'600);
    job.user = user;
    workload.jobs.push_back(make_job(job, shape));
  }
  return workload;
}

Predicted run(const Workload& workload, const std::string& policy,
              std::optional<prediction::RunTimeLearner*> learner = std::nullopt) {
  ClusterShape shape;
  shape.nodes = 2;
  Watcher watcher;
  Simulation simulation(workload, shape, {}, std::move(*make_policy(policy)), watcher);
  if (learner) simulation.set_learner(*learner);
  EXPECT_TRUE(simulation.run());
  EXPECT_EQ(watcher.ended.size(), workload.jobs.size());
  return watcher.predicted;
}

TEST(PredictedRun, a_job_is_predicted_from_those_that_have_ended) {
  const Predicted all = run(workload_of(7, 4), "EASY/predict");
  const Predicted expected = {{1, std::nullopt}, {2, std::nullopt}, {3, seconds(40)}, {4, seconds(40)}};
  EXPECT_EQ(all, expected);
}

TEST(PredictedRun, a_job_that_still_runs_is_not_known) {
  Workload workload = workload_of(7, 4);
  for (WorkloadJob& job : workload.jobs) job.submitted = Instant{} + seconds(job.id.raw == 4 ? 40 : 0);
  // Jobs 1 and 2 end in the instant in which job 4 is submitted.
  const Predicted all = run(workload, "EASY/predict");
  for (const auto& [job, predicted] : all) EXPECT_FALSE(predicted) << job;
}

TEST(PredictedRun, a_policy_that_reads_no_predictions_gets_none) {
  for (const auto& [job, predicted] : run(workload_of(7, 4), "EASY")) EXPECT_FALSE(predicted) << job;
  for (const auto& [job, predicted] : run(workload_of(7, 4), "EASY/predict", nullptr))
    EXPECT_FALSE(predicted) << job;
}

TEST(PredictedRun, what_a_learner_knows_goes_from_one_run_to_the_next) {
  prediction::RunTimeLearner learner;
  (void)run(workload_of(7, 2), "EASY/predict", &learner);
  const Predicted all = run(workload_of(7, 2), "EASY/predict", &learner);
  EXPECT_EQ(all, (Predicted{{1, seconds(40)}, {2, seconds(40)}}));
}

}  // namespace
}  // namespace aliquot
