// What was said of the run times of jobs before they ran, beside how long they did: errors and calibration.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "monitor/observer.hpp"
#include "policies/prediction/run_time_learner.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot::prediction {

struct PredictedJob {
  std::uint64_t week = 0;
  Duration run_time;
  Duration requested;                // by its user; 0: nothing
  std::optional<Duration> expected;  // none: nothing was known
  SaidInterval said;
};

// How far expectations are off, in seconds, over the jobs of which both the history and the user have said
// something.
struct Errors {
  std::uint64_t jobs = 0;
  double median = 0;
  double mean = 0;
};
[[nodiscard]] Errors errors_of_history(const std::vector<PredictedJob>& runs);
[[nodiscard]] Errors errors_of_users(const std::vector<PredictedJob>& runs);

// Shares of the jobs whose run time was below, within and above their interval.
struct Calibration {
  std::uint64_t jobs = 0;
  double below = 0;
  double within = 0;
  double above = 0;
};
[[nodiscard]] Calibration calibration_of(const std::vector<PredictedJob>& runs);
struct WeekCalibration {
  std::uint64_t week = 0;
  Calibration share;
};
[[nodiscard]] std::vector<WeekCalibration> calibration_by_week(const std::vector<PredictedJob>& runs);

// Notes what a learner says of each job of a workload when it is submitted.
class SaidCollector : public Observer {
 public:
  SaidCollector(const Workload& workload, const RunTimeLearner& learner, std::uint64_t week);

  void on_step(const Step& step, const ClusterView& after) override;
  [[nodiscard]] const std::vector<PredictedJob>& runs() const { return runs_; }

 private:
  const Workload& workload_;
  const RunTimeLearner& learner_;
  std::uint64_t week_;
  std::map<JobId, const WorkloadJob*> jobs_;
  std::vector<PredictedJob> runs_;
};

}  // namespace aliquot::prediction
