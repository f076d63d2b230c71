#include "manager/api/explain/why_answer.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manager/api/answers/checkpoint_answers.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/answers/job_state.hpp"
#include "manager/api/answers/memory_answers.hpp"
#include "manager/api/explain/chronicle_rows.hpp"
#include "manager/api/explain/forecast.hpp"
#include "manager/api/explain/node_reasons.hpp"
#include "manager/api/explain/remedies.hpp"
#include "manager/api/wire/strict_json.hpp"
#include "monitor/codec_words.hpp"
#include "policies/maintenance/by_windows.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

json holders(const CoreState& state, const std::vector<JobId>& jobs) {
  json all = json::array();
  for (const JobId id : jobs) {
    const Job* job = planned_or_leaving(state, id);
    if (job == nullptr) continue;
    const JobRecord& record = state.records.at(id);
    all.push_back({{"job", id.raw},
                   {"name", record.submission->name},
                   {"tasks", job->demand.tasks},
                   {"cpus", in_cores(job->demand.need)},
                   {"yield", ratio_or_null(yield_given(*job, record))},
                   {"memory_bytes", job->demand.memory.raw}});
  }
  return all;
}

json counts(const std::vector<NodeCount>& groups) {
  json all = json::array();
  for (const NodeCount& group : groups) all.push_back({{"what", group.what}, {"nodes", group.nodes}});
  return all;
}

json kinds_json(const std::vector<KindReasons>& kinds) {
  json all = json::array();
  for (const KindReasons& kind : kinds)
    all.push_back({{"kind", kind.kind}, {"nodes", kind.nodes}, {"reasons", counts(kind.reasons)}});
  return all;
}

json forecast_json(const JobForecast& expected, const AnswerClock& clock) {
  json rests_on = json::array();
  for (const JobId job : expected.rests_on) rests_on.push_back(job.raw);
  return {{"event", expected.event},
          {"at", iso_or_null(expected.at, clock)},
          {"in_s", expected.at ? json(to_seconds(*expected.at - clock.now)) : json()},
          {"basis", expected.basis},
          {"text", expected.text},
          {"rests_on", std::move(rests_on)}};
}

// "; n1 is to be empty from 2026-12-01T22:00:00Z to 2026-12-02T02:00:00Z", of the nodes that this is about.
std::string closing_times(const ClusterView& view, const Policy& policy, const Job& job,
                          const AnswerClock& clock) {
  constexpr std::size_t kMostNamed = 4;
  std::string text;
  std::size_t count = 0;
  for (const NodeClosing& closing : view.closings) {
    const Node& node = view.nodes[closing.node.raw];
    if (!node.usable() || !kept_off_by(view, job, node.id, policy) || ++count > kMostNamed) continue;
    text += "; " + node.name + " is to be empty from " + iso_time(closing.from, clock) +
            (closing.to ? " to " + iso_time(*closing.to, clock) : " on");
  }
  return text;
}

// What the job demands of nodes; a job that is ending demands nothing.
void add_prospects(json& answer, const CoreState& state, const Policy& policy, const Job& job,
                   const Explanation& why, const AnswerClock& clock) {
  if (!state.view.jobs.contains(job.id)) {
    const bool anew = state.records.at(job.id).starts_anew;
    answer["expected"] =
        forecast_json({anew ? "start" : "end",
                       std::nullopt,
                       "under_way",
                       anew ? "it starts anew when its VMs are gone" : "it ends when its VMs are gone",
                       {}},
                      clock);
    answer["remedies"] = {"what is under way for its VMs comes to an end"};
    answer["kinds"] = json::array();
    answer["tasks_that_fit"] = nullptr;
    return;
  }
  const std::vector<NodeOffer> offers = node_offers(state.view, policy, job, why.reason);
  std::int64_t fit = 0;
  for (const NodeOffer& offer : offers) fit += offer.tasks;
  answer["kinds"] = kinds_json(count_by_kind(state.view, offers));
  answer["tasks_that_fit"] = std::min<std::int64_t>(fit, job.demand.tasks);
  answer["remedies"] = remedies(state, job, why, offers);
  answer["expected"] = forecast_json(forecast(state, policy, job.id, why.reason), clock);
}

}  // namespace

Result<std::string> why_answer(const CoreState& state, const Policy& policy, JobId id,
                               const AnswerClock& clock, const PlanRefusal& refused,
                               const std::vector<LoggedEvent>& story, const Sight& sight,
                               const std::optional<JobUse>& use) {
  const auto explained = explain_job(state, policy, id, refused);
  if (!explained) return tl::unexpected<Error>(explained.error());
  const Job* job = planned_or_leaving(state, id);
  const JobRecord& record = state.records.at(id);
  const auto& retry = explained->retry_at;
  json answer{{"job", id.raw},
              {"name", record.submission->name},
              {"state", std::string(word(job_state(*job, record)))},
              {"for_s", to_seconds(clock.now - job->phase_since)},
              {"yield", ratio_or_null(yield_given(*job, record))},
              {"tasks", job->demand.tasks},
              {"policy", state.policy},
              {"reason", std::string(word(explained->reason))},
              {"text", explained->text + (explained->reason == Reason::maintenance
                                              ? closing_times(state.view, policy, *job, clock)
                                              : "")},
              {"nodes", counts(explained->nodes)},
              {"tightest", explained->tightest.empty() ? json() : json(explained->tightest)},
              {"held_by", holders(state, explained->held_by)},
              {"retry_at", iso_or_null(retry, clock)},
              {"retry_in_s", retry ? json(to_seconds(*retry - clock.now)) : json()},
              {"checkpoint", checkpoint_json(state, *job, clock)},
              {"memory", memory_advice(record.submission, use, false, job->progress.at(clock.now))},
              {"history", history(state.view, story, clock)}};
  add_prospects(answer, state, policy, *job, *explained, clock);
  sight.limit(answer);
  return to_line(answer);
}

std::string why_answer(const JobOutcome& ended, const AnswerClock& clock, const ClusterView& view,
                       const std::vector<LoggedEvent>& story, const Sight& sight,
                       const std::optional<JobUse>& use) {
  const std::string state(word(job_state(ended.result)));
  std::string text = "It has ended (" + state + ") " + about(clock.now - ended.ended) + " ago, " +
                     about(ended.ended - ended.submitted) + " after it was submitted";
  if (!ended.started) text += ", and never ran";
  text += ended.note.empty() ? "." : ": " + ended.note + ".";
  json answer{{"job", ended.job.raw},
              {"name", ended.submission->name},
              {"state", state},
              {"for_s", to_seconds(clock.now - ended.ended)},
              {"yield", nullptr},
              {"tasks", ended.submission->demand.tasks},
              {"policy", nullptr},
              {"reason", "ended"},
              {"text", text},
              {"nodes", json::array()},
              {"kinds", json::array()},
              {"tasks_that_fit", nullptr},
              {"tightest", nullptr},
              {"held_by", json::array()},
              {"remedies", json::array()},
              {"expected", nullptr},
              {"retry_at", nullptr},
              {"retry_in_s", nullptr},
              {"checkpoint", nullptr},
              {"memory", memory_advice(ended.submission, use, true, ended.virtual_time)},
              {"history", history(view, story, clock)}};
  sight.limit(answer);
  return to_line(answer);
}

}  // namespace aliquot
