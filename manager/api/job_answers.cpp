#include "manager/api/job_answers.hpp"

#include <nlohmann/json.hpp>

#include "manager/api/cpu_rows.hpp"
#include "manager/api/job_rows.hpp"
#include "manager/api/strict_json.hpp"
#include "manager/api/submission_codec.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

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

Result<std::string> show_answer(const CoreState& state, JobId id, const std::optional<JobUse>& cpu,
                                const AnswerClock& clock) {
  const Job* job = planned_or_leaving(state, id);
  if (job == nullptr) return tl::unexpected<Error>(no_such_job(id));
  const JobRecord& record = state.records.at(id);
  json answer = job_row(state, *job, record, clock);
  answer["program"] = program_json(record.submission->program);
  answer["movable"] = record.submission->demand.movable;
  answer["vms"] = vm_rows(state, record);
  answer["cpu"] = cpu_json(state.view, cpu, clock);
  return to_line(answer);
}

std::string show_answer(const ClusterView& view, const JobOutcome& ended, const std::optional<JobUse>& cpu,
                        const AnswerClock& clock) {
  json answer = job_row(view, ended, clock);
  answer["program"] = program_json(ended.submission->program);
  answer["movable"] = ended.submission->demand.movable;
  answer["vms"] = json::array();
  answer["cpu"] = cpu_json(view, cpu, clock);
  return to_line(answer);
}

std::string submitted_answer(JobId job) { return to_line({{"job", job.raw}, {"dry_run", false}}); }

}  // namespace aliquot
