#include "policies/prediction/run_time_learner.hpp"

#include <utility>

namespace aliquot::prediction {

Prediction RunTimeLearner::on_submitted(JobId job, RunTraits traits) {
  const Prediction made = history_.predict(traits);
  open_.insert_or_assign(job, Open{std::move(traits), {made.earliest, made.latest}});
  return made;
}

void RunTimeLearner::on_ended(JobId job, std::optional<Duration> run_time) {
  const auto known = open_.find(job);
  if (known == open_.end()) return;
  if (run_time) history_.learn(known->second.traits, *run_time, known->second.said);
  open_.erase(known);
}

std::optional<Prediction> RunTimeLearner::rest_of(JobId job, Duration done,
                                                  std::optional<Duration> limit) const {
  const auto known = open_.find(job);
  if (known == open_.end()) return std::nullopt;
  const Prediction prediction = history_.predict(known->second.traits, done, limit);
  return prediction.runs > 0 ? std::optional(prediction) : std::nullopt;
}

}  // namespace aliquot::prediction
