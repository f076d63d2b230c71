#include "tools/sim/campaign/run_cell.hpp"

#include <chrono>

#include "tools/sim/bound/lower_bound.hpp"
#include "tools/sim/campaign/beyond/field.hpp"
#include "tools/sim/metrics/run_figures.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"
#include "tools/sim/stopwatch.hpp"

namespace aliquot {
namespace {

// The most jobs that were there at a decision.
class CellCollector : public Collector {
 public:
  void on_step(const Step& step, const ClusterView& after) override {
    Collector::on_step(step, after);
    if (step.decision) most_jobs = std::max(most_jobs, after.jobs.size());
  }
  std::size_t most_jobs = 0;
};

Cell figures_of(const Summary& sum, const RunFigures& run, const CellCollector& seen) {
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  Cell cell;
  cell[Figure::jobs] = number(sum.jobs);
  cell[Figure::skipped] = number(sum.skipped);
  cell[Figure::makespan] = to_seconds(sum.makespan);
  cell[Figure::max_bounded_stretch] = sum.max_bounded_stretch;
  cell[Figure::avg_bounded_stretch] = sum.avg_bounded_stretch;
  cell[Figure::p95_bounded_stretch] = sum.p95_bounded_stretch;
  cell[Figure::p99_bounded_stretch] = sum.p99_bounded_stretch;
  cell[Figure::utilization] = sum.utilization;
  cell[Figure::underutilization] = run.underutilization;
  cell[Figure::preemptions] = number(sum.preemptions);
  cell[Figure::migrations] = number(sum.migrations);
  cell[Figure::preempted_gb] = sum.preempted_gb;
  cell[Figure::migrated_gb] = sum.migrated_gb;
  cell[Figure::decisions] = number(sum.decisions);
  cell[Figure::decisions_few_jobs] = run.decisions_few_jobs;
  cell[Figure::most_jobs] = number(seen.most_jobs);
  cell[Figure::decision_us_mean] = run.decision_us_mean;
  cell[Figure::decision_us_p50] = sum.decision_us_p50;
  cell[Figure::decision_us_p99] = sum.decision_us_p99;
  cell[Figure::decision_us_max] = sum.decision_us_max;
  cell[Figure::decision_us_mean_many_jobs] = run.decision_us_mean_many_jobs;
  return cell;
}

// What no schedule can beat, whatever actions cost.
Cell bound_cell(const Workload& workload, const ClusterShape& shape) {
  const LowerBound bound = lower_bound(make_instance(workload.jobs, shape.make_nodes()));
  Cell cell;
  cell[Figure::jobs] = static_cast<double>(workload.jobs.size());
  cell[Figure::max_bounded_stretch] = static_cast<double>(bound.stretch.nano) / static_cast<double>(kNano);
  return cell;
}

}  // namespace

Result<Cell> run_cell(const Workload& workload, const ClusterShape& shape, const std::string& policy,
                      const std::string& penalty) {
  if (policy == kLowerBound) return bound_cell(workload, shape);
  auto made = make_policy(policy);
  if (!made) return tl::unexpected(made.error());
  const auto stall = parse_decimal(penalty);
  if (!stall) return tl::unexpected(stall.error());
  ModelOptions model;
  model.penalty = to_duration(*stall);
  return simulate_cell(workload, shape, std::move(*made), model);
}

Result<Cell> simulate_cell(const Workload& workload, const ClusterShape& shape,
                           std::unique_ptr<Policy> policy, const ModelOptions& model) {
  CellCollector seen;
  const std::int64_t before = monotonic_nanoseconds();
  Simulation simulation(workload, shape, model, std::move(policy), seen, monotonic_nanoseconds);
  if (auto done = simulation.run(); !done) return tl::unexpected(done.error());
  const std::int64_t took = monotonic_nanoseconds() - before;
  if (seen.refused > 0) {
    return fail(ErrorKind::internal, "the checker refused " + std::to_string(seen.refused) +
                                         " plans; the first " + seen.first_refusal);
  }
  if (const ModelJudge& judge = simulation.hypervisor().judge(); judge.fault_count() > 0) {
    return fail(ErrorKind::internal, "the model hypervisor objected to " +
                                         std::to_string(judge.fault_count()) +
                                         " actions; the first: " + judge.faults().front());
  }
  const std::vector<JobRow> rows = make_rows(workload, seen);
  const auto [summary, figures] = run_report(workload, shape, rows, seen);
  Cell cell = figures_of(summary, figures, seen);
  cell[Figure::wall_s] = static_cast<double>(took) / 1e9;
  return cell;
}

}  // namespace aliquot
