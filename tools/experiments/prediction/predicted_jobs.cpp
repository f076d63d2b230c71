#include "tools/experiments/prediction/predicted_jobs.hpp"

#include <algorithm>
#include <cmath>

namespace aliquot::prediction {
namespace {

template <class Expected>
Errors errors_of(const std::vector<PredictedJob>& runs, Expected expected) {
  std::vector<double> off;
  double sum = 0;
  for (const PredictedJob& run : runs) {
    if (!run.expected || run.requested.raw <= 0) continue;
    off.push_back(std::abs(to_seconds(expected(run) - run.run_time)));
    sum += off.back();
  }
  if (off.empty()) return {};
  const auto middle = off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2);
  std::ranges::nth_element(off, middle);
  return {off.size(), *middle, sum / static_cast<double>(off.size())};
}

}  // namespace

Errors errors_of_history(const std::vector<PredictedJob>& runs) {
  return errors_of(runs, [](const PredictedJob& run) { return *run.expected; });
}
Errors errors_of_users(const std::vector<PredictedJob>& runs) {
  return errors_of(runs, [](const PredictedJob& run) { return run.requested; });
}

Calibration calibration_of(const std::vector<PredictedJob>& runs) {
  Calibration share;
  for (const PredictedJob& run : runs) {
    if (!run.expected) continue;
    ++share.jobs;
    if (run.run_time < run.said.least)
      ++share.below;
    else if (run.run_time > run.said.most)
      ++share.above;
    else
      ++share.within;
  }
  if (share.jobs == 0) return share;
  for (double* const part : {&share.below, &share.within, &share.above})
    *part /= static_cast<double>(share.jobs);
  return share;
}

std::vector<WeekCalibration> calibration_by_week(const std::vector<PredictedJob>& runs) {
  std::map<std::uint64_t, std::vector<PredictedJob>> weeks;
  for (const PredictedJob& run : runs) weeks[run.week].push_back(run);
  std::vector<WeekCalibration> all;
  for (const auto& [week, own] : weeks)
    if (const Calibration share = calibration_of(own); share.jobs > 0) all.push_back({week, share});
  return all;
}

SaidCollector::SaidCollector(const Workload& workload, const RunTimeLearner& learner, std::uint64_t week)
    : workload_(workload), learner_(learner), week_(week) {
  for (const WorkloadJob& job : workload_.jobs) jobs_.emplace(job.id, &job);
}

void SaidCollector::on_step(const Step& step, const ClusterView& /*after*/) {
  for (const Event& event : step.events) {
    const auto* submitted = std::get_if<Submitted>(&event);
    const SaidInterval* said = submitted ? learner_.said(submitted->job) : nullptr;
    if (!said) continue;
    const WorkloadJob& job = *jobs_.at(submitted->job);
    runs_.push_back(
        {week_, job.runtime(), job.submission.requested, submitted->submission->demand.predicted, *said});
  }
}

}  // namespace aliquot::prediction
