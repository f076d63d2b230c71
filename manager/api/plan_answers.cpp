#include "manager/api/plan_answers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manager/api/strict_json.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

json change_row(const CoreState& state, const Job& job, const Change& change) {
  const auto record = state.records.find(job.id);
  return {{"job", job.id.raw},
          {"name", record == state.records.end() ? "" : record->second.submission->name},
          {"from", placement_json(state.view, job.placement)},
          {"to", placement_json(state.view, change.placement)},
          {"yield_before", ratio(job.yield)},
          {"yield_after", ratio(change.yield)}};
}

// Which list of the answer a change belongs to.
const char* kind_of(const Job& job, const Change& change) {
  if (change.placement.empty()) return "pauses";
  if (job.phase == Phase::waiting) return "starts";
  if (job.phase == Phase::paused) return "resumes";
  return change.placement == job.placement ? "yields" : "moves";
}

const Change* change_of(const Plan& plan, JobId job) {
  const auto at = std::find_if(plan.changes.begin(), plan.changes.end(),
                               [job](const Change& change) { return change.job == job; });
  return at == plan.changes.end() ? nullptr : &*at;
}

std::string reason_word(Reason reason) { return std::string(word(reason)); }

}  // namespace

std::string plan_answer(const CoreState& state, const Policy& policy, const Plan& plan,
                        const std::vector<Violation>& violations, const AnswerClock& clock) {
  json answer{{"now", iso_time(clock.now, clock)},
              {"policy", state.policy},
              {"mode", std::string(word(state.mode))},
              {"carried_out", false}};
  for (const char* kind : {"starts", "resumes", "pauses", "moves", "yields", "waits", "refused"})
    answer[kind] = json::array();
  for (const Change& change : plan.changes) {
    const auto job = state.view.jobs.find(change.job);
    if (job == state.view.jobs.end()) continue;
    answer[kind_of(job->second, change)].push_back(change_row(state, job->second, change));
  }
  for (const auto& [id, job] : state.view.jobs) {
    if (job.phase == Phase::running || change_of(plan, id) != nullptr) continue;
    const Explanation why = policy.explain(state.view, id);
    answer["waits"].push_back({{"job", id.raw}, {"reason", reason_word(why.reason)}, {"text", why.text}});
  }
  for (const Violation& broken : violations)
    answer["refused"].push_back({{"law", name(broken.law)}, {"text", broken.text}});
  answer["asked_again_in_s"] = plan.wake_at ? json(to_seconds(*plan.wake_at - clock.now)) : json();
  return to_line(answer);
}

std::string dry_run_answer(const ClusterView& view, JobId job, const Submission& submission,
                           const Policy& policy, const Plan& plan, const AnswerClock& clock) {
  const Change* change = change_of(plan, job);
  const bool starts = change != nullptr && !change->placement.empty();
  json answer{{"dry_run", true},
              {"now", iso_time(clock.now, clock)},
              {"starts_now", starts},
              {"nodes", starts ? placement_json(view, change->placement) : json::array()},
              {"yield", starts ? json(ratio(change->yield)) : json()},
              {"vcpus", vcpus_of(submission)},
              {"affects", json::array()},
              {"reason", nullptr},
              {"text", starts ? "It would be placed at once." : ""}};
  for (const Change& other : plan.changes)
    if (other.job != job) answer["affects"].push_back(other.job.raw);
  if (starts) return to_line(answer);
  const Explanation why = policy.explain(view, job);
  answer["reason"] = reason_word(why.reason);
  answer["text"] = why.text;
  return to_line(answer);
}

}  // namespace aliquot
