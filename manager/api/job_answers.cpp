#include "manager/api/job_answers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/quantities.hpp"
#include "manager/api/job_rows.hpp"
#include "manager/api/job_state.hpp"
#include "manager/api/strict_json.hpp"
#include "manager/api/submission_codec.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

// Whole seconds: a figure for a sentence.
std::string about(Duration duration) {
  return print_duration(seconds(std::max<std::int64_t>(0, duration.raw / kMillion)));
}

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
                   {"memory_bytes", job->demand.memory.raw}});
  }
  return all;
}

}  // namespace

Error no_such_job(JobId job) {
  return {ErrorKind::not_found,
          "there is no job " + std::to_string(job.raw) + "; see `aliquot list --all`"};
}

std::string list_answer(const CoreState& state, const std::vector<JobOutcome>& ended, std::size_t limit,
                        const AnswerClock& clock) {
  json jobs = json::array();
  for (const auto& [id, record] : state.records) {
    if (jobs.size() >= limit) break;
    const Job* job = planned_or_leaving(state, id);
    if (job != nullptr) jobs.push_back(job_row(state, *job, record, clock));
  }
  for (const JobOutcome& outcome : ended) {
    if (jobs.size() >= limit) break;
    jobs.push_back(job_row(state.view, outcome, clock));
  }
  const bool more = jobs.size() < state.records.size() + ended.size();
  return to_line({{"now", iso_time(clock.now, clock)}, {"jobs", std::move(jobs)}, {"more", more}});
}

Result<std::string> show_answer(const CoreState& state, JobId id, const AnswerClock& clock) {
  const Job* job = planned_or_leaving(state, id);
  if (job == nullptr) return tl::unexpected<Error>(no_such_job(id));
  const JobRecord& record = state.records.at(id);
  json answer = job_row(state, *job, record, clock);
  answer["program"] = program_json(record.submission->program);
  answer["movable"] = record.submission->demand.movable;
  answer["vms"] = vm_rows(state, record);
  return to_line(answer);
}

std::string show_answer(const ClusterView& view, const JobOutcome& ended, const AnswerClock& clock) {
  json answer = job_row(view, ended, clock);
  answer["program"] = program_json(ended.submission->program);
  answer["movable"] = ended.submission->demand.movable;
  answer["vms"] = json::array();
  return to_line(answer);
}

Result<std::string> why_answer(const CoreState& state, const Policy& policy, JobId id,
                               const AnswerClock& clock, const PlanRefusal& refused) {
  const auto explained = explain_job(state, policy, id, refused);
  if (!explained) return tl::unexpected<Error>(explained.error());
  const Job* job = planned_or_leaving(state, id);
  const JobRecord& record = state.records.at(id);
  json nodes = json::array();
  for (const NodeCount& group : explained->nodes)
    nodes.push_back({{"what", group.what}, {"nodes", group.nodes}});
  const auto& retry = explained->retry_at;
  return to_line({{"job", id.raw},
                  {"name", record.submission->name},
                  {"state", std::string(word(job_state(*job, record)))},
                  {"for_s", to_seconds(clock.now - job->phase_since)},
                  {"yield", job->phase == Phase::running ? json(ratio(job->yield)) : json()},
                  {"policy", state.policy},
                  {"reason", std::string(words<Reason>()[static_cast<std::size_t>(explained->reason)])},
                  {"text", explained->text},
                  {"nodes", std::move(nodes)},
                  {"tightest", explained->tightest.empty() ? json() : json(explained->tightest)},
                  {"held_by", holders(state, explained->held_by)},
                  {"retry_at", iso_or_null(retry, clock)},
                  {"retry_in_s", retry ? json(to_seconds(*retry - clock.now)) : json()}});
}

std::string why_answer(const JobOutcome& ended, const AnswerClock& clock) {
  const std::string state(word(job_state(ended.result)));
  std::string text = "It has ended (" + state + ") " + about(clock.now - ended.ended) + " ago, " +
                     about(ended.ended - ended.submitted) + " after it was submitted";
  if (!ended.started) text += ", and never ran";
  text += ended.note.empty() ? "." : ": " + ended.note + ".";
  return to_line({{"job", ended.job.raw},
                  {"name", ended.submission->name},
                  {"state", state},
                  {"for_s", to_seconds(clock.now - ended.ended)},
                  {"yield", nullptr},
                  {"policy", nullptr},
                  {"reason", "ended"},
                  {"text", text},
                  {"nodes", json::array()},
                  {"tightest", nullptr},
                  {"held_by", json::array()},
                  {"retry_at", nullptr},
                  {"retry_in_s", nullptr}});
}

std::string submitted_answer(JobId job) { return to_line({{"job", job.raw}, {"dry_run", false}}); }

}  // namespace aliquot
