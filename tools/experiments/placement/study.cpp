#include "tools/experiments/placement/study.hpp"

#include "tools/experiments/campaign/on_threads.hpp"

namespace aliquot {
namespace {

template <class Of>
Sample over_jobs(const std::vector<PlacementRun>& runs, Of of) {
  std::vector<double> values;
  for (const PlacementRun& run : runs)
    for (const PlacedJob& job : run.jobs) values.push_back(job.*of);
  return sample_of(values);
}

template <class Of>
Sample over_runs(const std::vector<PlacementRun>& runs, Of of) {
  std::vector<double> values;
  for (const PlacementRun& run : runs) values.push_back(of(run));
  return sample_of(values);
}

double mean_wait(const PlacementRun& run) {
  double sum = 0;
  for (const PlacedJob& job : run.jobs) sum += job.wait_h;
  return run.jobs.empty() ? 0 : sum / static_cast<double>(run.jobs.size());
}

}  // namespace

StudyOutcome outcome_of(const std::vector<PlacementRun>& runs) {
  StudyOutcome all;
  all.wait_h = over_jobs(runs, &PlacedJob::wait_h);
  all.slowdown = over_jobs(runs, &PlacedJob::slowdown);
  all.packing = over_jobs(runs, &PlacedJob::packing);
  all.fragmentation = over_jobs(runs, &PlacedJob::fragmentation);
  all.spread = over_jobs(runs, &PlacedJob::spread);
  all.utilization = over_runs(runs, [](const PlacementRun& run) { return run.utilization(); });
  all.mean_wait_h = over_runs(runs, mean_wait);
  all.makespan_h = over_runs(runs, [](const PlacementRun& run) { return run.makespan_s / 3600; });
  all.decision_us_p50 = over_runs(runs, [](const PlacementRun& run) { return run.decision_us_p50; }).mean;
  all.decision_us_p99 = over_runs(runs, [](const PlacementRun& run) { return run.decision_us_p99; }).most;
  return all;
}

Result<void> run_study(Study& study, unsigned workers) {
  const std::size_t all = study.experiments.size() * study.seeds;
  study.runs.assign(study.experiments.size(), std::vector<PlacementRun>(study.seeds));
  return on_threads(all, workers, [&study](std::size_t k) -> Result<void> {
    const Experiment& experiment = study.experiments[k / study.seeds];
    const auto seed = static_cast<std::uint32_t>(study.first_seed + k % study.seeds);
    auto run = run_placement(experiment.jobs(seed), study.machine, experiment.policy);
    if (!run)
      return fail(run.error().kind, "experiment " + experiment.name + " on " + experiment.workload +
                                        ", seed " + std::to_string(seed) + ": " + run.error().message);
    study.runs[k / study.seeds][k % study.seeds] = std::move(*run);
    return {};
  });
}

}  // namespace aliquot
