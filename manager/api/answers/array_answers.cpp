#include "manager/api/answers/array_answers.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "manager/api/answers/job_answers.hpp"
#include "manager/api/answers/job_state.hpp"
#include "monitor/array_text.hpp"

namespace aliquot {

using nlohmann::json;

namespace {

json terms_json(const ArrayTerms& terms) {
  return {{"indices", print_indices(terms.indices)},
          {"count", count_of(terms.indices)},
          {"at_once", terms.at_once > 0 ? json(terms.at_once) : json()},
          {"standing", nullptr},
          {"ended", nullptr},
          {"to_come", 0}};
}

}  // namespace

std::uint32_t members_to_come(const JobRecord& record) {
  return count_of(record.submission->array->indices) - record.array->reached -
         count_of(record.array->cancelled);
}

json array_json(const Submission& ended) { return ended.array ? terms_json(*ended.array) : json(); }

json array_json(const CoreState& state, const JobRecord& record) {
  if (!record.array) return nullptr;
  json row = array_json(*record.submission);
  std::map<std::string, std::uint32_t> standing;
  for (const StandingMember& member : record.array->standing)
    if (const Job* const job = planned_or_leaving(state, member.job))
      ++standing[std::string(word(job_state(*job, state.records.at(member.job))))];
  row["standing"] = std::move(standing);
  const MemberCounts& ended = record.array->ended;
  row["ended"] = json::object();
  const auto add = [&](const char* key, std::uint32_t count) {
    if (count > 0) row["ended"][key] = count;
  };
  add("completed", ended.completed);
  add("failed", ended.failed);
  add("cancelled", ended.cancelled + count_of(record.array->cancelled));
  add("timed_out", ended.timed_out);
  row["to_come"] = members_to_come(record);
  return row;
}

json member_json(const Submission& job) {
  if (!job.member) return nullptr;
  return {{"array", job.member->array.raw}, {"index", job.member->index}};
}

std::string members_text(const JobRecord& record) {
  const ArrayProgress& its = *record.array;
  const std::size_t standing = its.standing.size();
  const std::uint32_t ended = its.ended.all() + count_of(its.cancelled), left = members_to_come(record);
  const bool all_that_may = left > 0 && standing >= most_at_once(*record.submission->array);
  return std::to_string(standing) + (standing == 1 ? " of its members stands" : " of its members stand") +
         (all_that_may ? ", as many as may at a time, " : ", ") + std::to_string(ended) +
         (ended == 1 ? " has ended, and " : " have ended, and ") + std::to_string(left) +
         (left == 1 ? " is to come" : " are to come");
}

}  // namespace aliquot
