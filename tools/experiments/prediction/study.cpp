#include "tools/experiments/prediction/study.hpp"

#include <algorithm>
#include <cmath>

#include "tools/experiments/campaign/on_threads.hpp"
#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/generate/gpu_jobs.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"
#include "tools/sim/workload/weeks.hpp"

namespace aliquot::prediction {
namespace {

constexpr std::uint64_t kOfUsers = 50;  // purpose of a draw

// Each job gets the user of another one, so that what is learned of a user says nothing of its jobs.
void exchange_users(Workload& workload, std::uint64_t seed) {
  std::vector<std::uint32_t> users;
  for (const WorkloadJob& job : workload.jobs) users.push_back(job.submission.user);
  const std::vector<std::size_t> order = shuffled(users.size(), Chance(seed), kOfUsers);
  for (std::size_t k = 0; k < order.size(); ++k) workload.jobs[k].submission.user = users[order[k]];
}

// The log as a source has it.
Workload with_estimates_of(Workload workload, Source source, std::uint64_t seed) {
  if (source == Source::shuffled) exchange_users(workload, seed);
  for (WorkloadJob& job : workload.jobs) {
    std::optional<Duration>& estimate = job.submission.demand.estimate;
    if (source == Source::none) estimate.reset();
    if (source == Source::perfect) estimate = job.runtime();
  }
  return workload;
}

WeekSlowdown slowdown_of(std::uint64_t week, const std::vector<JobRow>& rows) {
  WeekSlowdown made{week, rows.size(), 0, 1};
  for (const JobRow& row : rows) {
    made.mean += row.bounded_stretch() / static_cast<double>(rows.size());
    made.largest = std::max(made.largest, row.bounded_stretch());
  }
  return made;
}

class BothObservers final : public Observer {
 public:
  BothObservers(Observer& first, Observer& second) : first_(first), second_(second) {}
  void on_step(const Step& step, const ClusterView& after) override {
    first_.on_step(step, after);
    second_.on_step(step, after);
  }

 private:
  Observer& first_;
  Observer& second_;
};

Result<void> simulate_week(PredictedRun& run, const Workload& workload, const ClusterShape& shape,
                           std::uint64_t week, RunTimeLearner& learner) {
  auto policy = make_simulated_policy(run.policy);
  if (!policy) return tl::unexpected(policy.error());
  Collector collected;
  SaidCollector said(workload, learner, week);
  BothObservers both(collected, said);
  Simulation simulation(workload, shape, {}, std::move(*policy), both);
  simulation.set_learner(learns(run.source) ? &learner : nullptr);
  if (auto done = run_guarded([&] { return simulation.run(); }); !done) return done;
  if (collected.refused > 0)
    return fail(ErrorKind::internal, "the checker refused a plan: " + collected.first_refusal);
  run.weeks.push_back(slowdown_of(week, make_rows(workload, collected)));
  std::ranges::copy(said.runs(), std::back_inserter(run.predicted));
  return {};
}

// In the order of the weeks: what is learned in one is known in the next.
Result<void> simulate(PredictedRun& run, const Workload& log, const PredictionOptions& options) {
  const std::vector<Workload> all = weeks(with_estimates_of(log, run.source, options.seed));
  RunTimeLearner learner;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].jobs.empty()) continue;
    if (auto done = simulate_week(run, all[k], options.read.shape, k + 1, learner); !done) return done;
  }
  return {};
}

}  // namespace

double PredictedRun::mean() const {
  double sum = 0, jobs = 0;
  for (const WeekSlowdown& week : weeks) {
    sum += week.mean * static_cast<double>(week.jobs);
    jobs += static_cast<double>(week.jobs);
  }
  return sum / jobs;
}

double PredictedRun::by_week() const {
  double sum = 0;
  for (const WeekSlowdown& week : weeks) sum += std::log(week.mean);
  return std::exp(sum / static_cast<double>(weeks.size()));
}

double PredictedRun::largest() const { return std::ranges::max(weeks, {}, &WeekSlowdown::largest).largest; }

Result<PredictionStudy> prediction_study(const PredictionOptions& options, unsigned workers) {
  const auto log = read_workload(options.workload, options.read);
  if (!log) return tl::unexpected(log.error());
  PredictionStudy study{options, {}};
  for (const std::string& policy : options.policies)
    for (std::size_t source = 0; source < kSourceNames.size(); ++source)
      study.runs.push_back({policy, static_cast<Source>(source), {}, {}});
  const auto done = on_threads(study.runs.size(), workers,
                               [&](std::size_t k) { return simulate(study.runs[k], *log, options); });
  if (!done) return tl::unexpected(done.error());
  return study;
}

}  // namespace aliquot::prediction
