#include "manager/run_time_keeper.hpp"

#include <algorithm>
#include <utility>

#include "manager/api/answers/run_time_answers.hpp"

namespace aliquot {
namespace {

using prediction::RunTimeHistory;
using prediction::RunTraits;

constexpr std::size_t kMostClasses = 5'000;
constexpr Duration kKeptEvery = seconds(60);

RunTimeHistory read(const std::string& kept, const RunTimeKeeper::Parts& parts) {
  if (kept.empty()) return RunTimeHistory(kMostClasses);
  auto history = RunTimeHistory::import_csv(kept, kMostClasses);
  if (history) return std::move(*history);
  parts.warn("run_times_set_aside why=\"what the store has kept of run times cannot be read: " +
             history.error().message + "; they are learned anew\"");
  return RunTimeHistory(kMostClasses);
}

RunTraits traits_of(const Submission& job) {
  const std::optional<Duration>& said = job.demand.estimate ? job.demand.estimate : job.time_limit;
  return {job.account, job.uid, job.problem ? job.problem->application : job.name, job.demand.tasks,
          said.value_or(Duration{})};
}

// The most that it is served, if it has a limit: it cannot be served more than the time that passes.
std::optional<Duration> longest(const Submission& job) {
  if (!job.time_limit || !job.wall_limit) return job.time_limit ? job.time_limit : job.wall_limit;
  return std::min(*job.time_limit, *job.wall_limit);
}

// What an array teaches, its members do.
bool is_learned_from(const Submission& job) { return !job.array; }

// Its time, if it ran to its end on one number of tasks.
std::optional<Duration> run_time_of(const JobOutcome& outcome) {
  if (!is_learned_from(outcome.submission)) return std::nullopt;
  const bool one_number = outcome.submission->profile.empty() && outcome.tasks_ever == 0;
  if (outcome.result != JobResult::completed || !outcome.started || !one_number) return std::nullopt;
  return time_for(outcome.virtual_time, kFullYield);
}

}  // namespace

RunTimeKeeper::RunTimeKeeper(const Parts& parts, const std::string& kept)
    : keep_(parts.keep), learner_(read(kept, parts)) {
  for (const auto& [id, job] : parts.state.view.jobs) {
    const auto record = parts.state.records.find(id);
    if (record == parts.state.records.end()) continue;
    const Submission& submission = *record->second.submission;
    if (is_learned_from(submission) &&
        job.demand.tasks == submission.demand.tasks)  // else it has changed its size already
      (void)learner_.on_submitted(id, traits_of(submission));
  }
}

void RunTimeKeeper::on_durable(const Step& step) {
  for (const Event& event : step.events) {
    if (const auto* submitted = std::get_if<Submitted>(&event);
        submitted && is_learned_from(submitted->submission))
      (void)learner_.on_submitted(submitted->job, traits_of(*submitted->submission));
    if (const auto* changed = std::get_if<TasksChanged>(&event))
      learner_.on_ended(changed->job, std::nullopt);
  }
  for (const JobOutcome& outcome : step.ended) {
    const std::optional<Duration> run_time = run_time_of(outcome);
    has_learned_ = has_learned_ || run_time;
    learner_.on_ended(outcome.job, run_time);
  }
  if (has_learned_ && (!kept_at_ || step.now - *kept_at_ >= kKeptEvery)) keep(step.now);
}

void RunTimeKeeper::keep(Instant now) {
  keep_(learner_.history().export_csv());
  has_learned_ = false;
  kept_at_ = now;
}

std::optional<prediction::Prediction> RunTimeKeeper::rest_of(const Job& job, const Submission& submission,
                                                             Instant now) const {
  return learner_.rest_of(job.id, time_for(job.progress.at(now), kFullYield), longest(submission));
}

Result<std::string> RunTimeKeeper::on(const RunTimesList& /*request*/) const {
  return run_times_list_answer(learner_.history());
}

Result<std::string> RunTimeKeeper::on(const RunTimesExport& /*request*/) const {
  return run_times_export_answer(learner_.history());
}

Result<std::string> RunTimeKeeper::on(const RunTimesImport& request) {
  auto read = RunTimeHistory::import_csv(request.csv, kMostClasses);
  if (!read) return tl::unexpected<Error>(read.error());
  learner_.replace(std::move(*read));
  keep(kept_at_.value_or(Instant{}));
  return run_times_imported_answer(learner_.history().size());
}

Result<std::string> RunTimeKeeper::on(const RunTimesForget& request) {
  const std::size_t forgotten = learner_.forget(request.uid);
  if (forgotten == 0)
    return fail(ErrorKind::not_found, "nothing is known of the run times of user id " +
                                          std::to_string(request.uid) +
                                          "; `aliquot predictions list` has what is");
  keep(kept_at_.value_or(Instant{}));
  return run_times_forgotten_answer(forgotten);
}

std::optional<Duration> RunTimeKeeper::predicted(const Submission& job) const {
  return prediction::expected_run_time(learner_.history().predict(traits_of(job), {}, longest(job)));
}

}  // namespace aliquot
