#include "tools/experiments/placement/placement_run.hpp"

#include "policies/policy.hpp"
#include "tools/sim/metrics/run_outputs.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"
#include "tools/sim/stopwatch.hpp"

namespace aliquot {
namespace {

PlacedJob placed_job(const JobRow& row, const Workload& workload, const MachineL& machine,
                     const Layouts& layouts) {
  const Demand& demand = row.job->submission.demand;
  PlacedJob job;
  job.type = workload.extra_columns.of(row.job->id, "profile");
  job.cores = demand.tasks;
  const double wait_s = to_seconds(row.start() - row.outcome->submitted);
  job.wait_h = wait_s / 3600;
  job.slowdown = 1 + wait_s / to_seconds(row.job->runtime());
  if (const Layout* layout = layouts.of(row.job->id)) {
    const std::uint32_t most = demand.spread.per_node > 0 ? demand.spread.per_node : machine.cores_per_node;
    job.packing = static_cast<double>(layout->nodes) / fewest_nodes(demand.tasks, most);
    job.fragmentation = layout->blocks;
    job.spread = layout->spread();
  }
  return job;
}

}  // namespace

Result<PlacementRun> run_placement(const std::vector<GpuJob>& jobs, const MachineL& machine,
                                   const std::string& policy) {
  auto made = make_policy(policy);
  if (!made) return tl::unexpected(made.error());
  const Workload workload = workload_of(jobs, machine);
  const ClusterShape shape = machine.shape();
  Collector collected;
  Layouts layouts;
  Watchers watchers({&collected, &layouts});
  const std::int64_t before = monotonic_nanoseconds();
  Simulation simulation(workload, shape, {}, std::move(*made), watchers, monotonic_nanoseconds);
  if (auto done = simulation.run(); !done) return tl::unexpected(done.error());
  const std::int64_t took = monotonic_nanoseconds() - before;
  if (collected.refused > 0) {
    return fail(ErrorKind::internal, "the checker refused " + std::to_string(collected.refused) +
                                         " plans of " + policy + "; the first " + collected.first_refusal);
  }
  if (const ConformanceChecker& checker = simulation.hypervisor().checker();
      checker.violation_count() > 0) {
    return fail(ErrorKind::internal, "the model hypervisor objected to " +
                                         std::to_string(checker.violation_count()) +
                                         " actions; the first: " + checker.violations().front());
  }
  const std::vector<JobRow> rows = make_rows(workload, collected);
  const Summary summary = summarize(workload, shape, rows, collected);
  PlacementRun run;
  for (const JobRow& row : rows) run.jobs.push_back(placed_job(row, workload, machine, layouts));
  run.ideal_s = to_seconds(ideal_makespan(jobs, machine));
  run.makespan_s = to_seconds(summary.makespan);
  run.decisions = summary.decisions;
  run.decision_us_p50 = summary.decision_us_p50;
  run.decision_us_p99 = summary.decision_us_p99;
  run.wall_s = static_cast<double>(took) / 1e9;
  return run;
}

void Layouts::on_step(const Step& step, const ClusterView&) {
  if (!step.decision || !step.decision->adopted) return;
  for (const Change& change : step.decision->plan.changes) {
    if (change.placement.empty() || layouts_.contains(change.job)) continue;
    layouts_[change.job] = layout_of(change.placement);
  }
}

}  // namespace aliquot
