// Learns run times as jobs come and go: the one place where the manager and the simulator do so.
//
// It predicts each job at its submission from the runs that have ended by then, remembers what it has said
// until the job ends, and then teaches the history the run and whether it was within the interval. A job
// that has not run to its end teaches nothing. Owns its history; no clock.
#pragma once

#include <map>

#include "policies/model/id.hpp"
#include "policies/prediction/run_time_history.hpp"

namespace aliquot::prediction {

inline constexpr std::size_t kUsualClasses = 10'000;

class RunTimeLearner {
 public:
  explicit RunTimeLearner(RunTimeHistory history = RunTimeHistory(kUsualClasses))
      : history_(std::move(history)) {}

  // What is to be expected of a job that is being submitted.
  Prediction on_submitted(JobId job, RunTraits traits);
  // `run_time`: its virtual time, if it has run to its end.
  void on_ended(JobId job, std::optional<Duration> run_time);

  // How much longer a job will run that has run for `done`; none: it was never submitted, or nothing is
  // known of jobs like it.
  [[nodiscard]] std::optional<Prediction> rest_of(JobId job, Duration done,
                                                  std::optional<Duration> limit) const;

  [[nodiscard]] const RunTimeHistory& history() const { return history_; }
  // In place of what is known. What was said of the jobs that have not ended stays.
  void replace(RunTimeHistory history) { history_ = std::move(history); }
  std::size_t forget(std::uint32_t user) { return history_.forget(user); }
  // Of a job that has not ended; null: it was never submitted.
  [[nodiscard]] const SaidInterval* said(JobId job) const {
    const auto known = open_.find(job);
    return known == open_.end() ? nullptr : &known->second.said;
  }

 private:
  struct Open {
    RunTraits traits;
    SaidInterval said;
  };
  RunTimeHistory history_;
  std::map<JobId, Open> open_;  // submitted, and not ended
};

// For Demand::predicted; none: nothing is known.
[[nodiscard]] inline std::optional<Duration> expected_run_time(const Prediction& prediction) {
  return prediction.runs > 0 ? std::optional(prediction.rest) : std::nullopt;
}

}  // namespace aliquot::prediction
