#include "tools/experiments/placement/study.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "tools/experiments/campaign/progress.hpp"

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
  std::vector<Error> errors(all, Error{ErrorKind::internal, ""});
  CampaignProgress progress(all, 0);
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  const auto work = [&] {
    for (std::size_t k = next++; k < all && !failed; k = next++) {
      const Experiment& experiment = study.experiments[k / study.seeds];
      const auto seed = static_cast<std::uint32_t>(study.first_seed + k % study.seeds);
      auto run = run_placement(experiment.jobs(seed), study.machine, experiment.policy);
      const std::lock_guard lock(mutex);
      if (run) {
        study.runs[k / study.seeds][k % study.seeds] = std::move(*run);
        progress.done();
      } else {
        failed = true;
        errors[k] = {run.error().kind, "experiment " + experiment.name + " on " + experiment.workload +
                                           ", seed " + std::to_string(seed) + ": " + run.error().message};
      }
    }
  };
  std::vector<std::thread> others;
  for (unsigned w = 1; w < workers; ++w) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  progress.finish();
  const auto first = std::ranges::find_if(errors, [](const Error& e) { return !e.message.empty(); });
  if (first != errors.end()) return tl::unexpected(*first);
  return {};
}

}  // namespace aliquot
