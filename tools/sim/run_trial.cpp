#include "tools/sim/run_trial.hpp"

#include <chrono>

#include "tools/sim/bound/lower_bound.hpp"
#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/metrics/run_figures.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"
#include "tools/sim/stopwatch.hpp"

namespace aliquot {
namespace {

// Also records the most jobs in the system at any decision.
class TrialCollector : public Collector {
 public:
  void on_step(const Step& step, const ClusterView& after) override {
    Collector::on_step(step, after);
    if (step.decision) most_jobs = std::max(most_jobs, after.jobs.size());
  }
  std::size_t most_jobs = 0;
};

Trial figures_of(const Summary& sum, const RunFigures& run, const TrialCollector& seen) {
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  Trial trial;
  trial[Figure::jobs] = number(sum.jobs);
  trial[Figure::skipped] = number(sum.skipped);
  trial[Figure::makespan] = to_seconds(sum.makespan);
  trial[Figure::max_bounded_stretch] = sum.max_bounded_stretch;
  trial[Figure::avg_bounded_stretch] = sum.avg_bounded_stretch;
  trial[Figure::p95_bounded_stretch] = sum.p95_bounded_stretch;
  trial[Figure::p99_bounded_stretch] = sum.p99_bounded_stretch;
  trial[Figure::utilization] = sum.utilization;
  trial[Figure::underutilization] = run.underutilization;
  trial[Figure::preemptions] = number(sum.preemptions);
  trial[Figure::migrations] = number(sum.migrations);
  trial[Figure::preempted_gb] = sum.preempted_gb;
  trial[Figure::migrated_gb] = sum.migrated_gb;
  trial[Figure::decisions] = number(sum.decisions);
  trial[Figure::decisions_few_jobs] = run.decisions_few_jobs;
  trial[Figure::most_jobs] = number(seen.most_jobs);
  trial[Figure::decision_us_mean] = run.decision_us_mean;
  trial[Figure::decision_us_p50] = sum.decision_us_p50;
  trial[Figure::decision_us_p99] = sum.decision_us_p99;
  trial[Figure::decision_us_max] = sum.decision_us_max;
  trial[Figure::decision_us_mean_many_jobs] = run.decision_us_mean_many_jobs;
  return trial;
}

// The lower bound, which holds at any action cost.
Trial bound_trial(const Workload& workload, const ClusterShape& shape) {
  const LowerBound bound = lower_bound(make_instance(workload.jobs, shape.make_nodes()));
  Trial trial;
  trial[Figure::jobs] = static_cast<double>(workload.jobs.size());
  trial[Figure::max_bounded_stretch] = static_cast<double>(bound.stretch.nano) / static_cast<double>(kNano);
  return trial;
}

// An exec: policy that fails throws.
Result<Trial> simulate(const Workload& workload, const ClusterShape& shape, std::unique_ptr<Policy> policy,
                       const ModelOptions& model) {
  TrialCollector collected;
  const std::int64_t before = monotonic_nanoseconds();
  Simulation simulation(workload, shape, model, std::move(policy), collected, monotonic_nanoseconds);
  if (auto done = run_guarded([&] { return simulation.run(); }); !done) return tl::unexpected(done.error());
  const std::int64_t took = monotonic_nanoseconds() - before;
  if (collected.refused > 0) {
    return fail(ErrorKind::internal, "the checker refused " + std::to_string(collected.refused) +
                                         " plans; the first " + collected.first_refusal);
  }
  const ConformanceChecker& checker = simulation.hypervisor().checker();
  if (checker.violation_count() > 0) {
    return fail(ErrorKind::internal, "the model hypervisor objected to " +
                                         std::to_string(checker.violation_count()) +
                                         " actions; the first: " + checker.violations().front());
  }
  const std::vector<JobRow> rows = make_rows(workload, collected);
  const auto [summary, figures] = run_report(workload, shape, rows, collected);
  Trial trial = figures_of(summary, figures, collected);
  trial[Figure::wall_s] = static_cast<double>(took) / 1e9;
  return trial;
}

}  // namespace

Result<Trial> run_trial(const Workload& workload, const ClusterShape& shape, const std::string& policy,
                        const ModelOptions& model) {
  if (policy == kLowerBound) return bound_trial(workload, shape);
  auto made = make_simulated_policy(policy);
  if (!made) return tl::unexpected(made.error());
  auto trial = simulate(workload, shape, std::move(*made), model);
  if (trial) trial->key.policy = policy;
  return trial;
}

Result<Trial> run_trial(const Workload& workload, const ClusterShape& shape, const std::string& policy,
                        const std::string& penalty) {
  const auto seconds = parse_decimal(penalty);
  if (!seconds) return tl::unexpected(seconds.error());
  ModelOptions model;
  model.penalty = to_duration(*seconds);
  return run_trial(workload, shape, policy, model);
}

}  // namespace aliquot
