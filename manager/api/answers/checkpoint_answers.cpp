#include "manager/api/answers/checkpoint_answers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace aliquot::wire {

using nlohmann::json;

namespace {

json mark_json(const CheckpointMark& mark, const AnswerClock& clock) {
  return {{"number", mark.number},
          {"at", iso_time(mark.at, clock)},
          {"ago_s", to_seconds(clock.now - mark.at)},
          {"virtual_s", mark.progress.to_seconds()}};
}

// One sentence: what is safe, what would be lost, and why the interval is not the one that was asked for.
std::string in_words(const Checkpoints& its, Duration asked, VirtualTime at_risk) {
  const Duration lost{static_cast<std::int64_t>(std::max<Int128>(0, at_risk.raw / kMillion))};
  std::string text = its.kept.empty()
                         ? "No checkpoint has been made yet; "
                         : "Checkpoint " + std::to_string(its.kept.back().number) + " is kept; ";
  text += "if a node of it died now, " + about(lost) + " of served time would be lost.";
  if (its.interval(asked) > asked)
    text += " One is made every " + about(its.interval(asked)) +
            " only, because the job stands still for " + about(*its.pause) + " for it.";
  if (its.failures > 0)
    text += " The last " + std::to_string(its.failures) + " failed (" + its.fault + "); the job runs on.";
  return text;
}

}  // namespace

json checkpoint_json(const CoreState& state, const Job& job, const AnswerClock& clock) {
  const auto found = state.checkpoints.find(job.id);
  if (found == state.checkpoints.end()) return nullptr;
  const Checkpoints& its = found->second;
  const Duration asked = *state.records.at(job.id).submission->checkpoint;
  const VirtualTime at_risk = job.progress.at(clock.now) - its.protected_until();
  json kept = json::array();
  for (const CheckpointMark& mark : its.kept) kept.push_back(mark_json(mark, clock));
  const Instant due = its.due(asked, job.progress);
  return {{"asked_s", to_seconds(asked)},
          {"interval_s", to_seconds(std::max(asked, its.interval(asked)))},
          {"kept", std::move(kept)},
          {"at_risk_s", at_risk.to_seconds()},
          {"pause_s", seconds_or_null(its.pause)},
          {"took_s", seconds_or_null(its.took)},
          {"due_in_s", due == kNever ? json() : json(to_seconds(std::max(Duration{}, due - clock.now)))},
          {"under_way", its.under_way.has_value()},
          {"failures", its.failures},
          {"fault", its.fault},
          {"text", in_words(its, asked, at_risk)}};
}

}  // namespace aliquot::wire
