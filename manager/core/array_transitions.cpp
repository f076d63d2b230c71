#include "manager/core/array_transitions.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "manager/core/deferral.hpp"
#include "manager/core/job_transitions.hpp"

namespace aliquot {
namespace {

JobRecord* array_of(ClusterState& state, JobId id) {
  const auto found = state.core.records.find(id);
  const bool is_array = found != state.core.records.end() && found->second.array.has_value();
  return is_array ? &found->second : nullptr;
}

const IndexSet& indices_of(const JobRecord& record) { return record.submission->array->indices; }

bool is_over(const JobRecord& record) {
  return record.array->standing.empty() && record.array->reached == count_of(indices_of(record));
}

bool may_make(const JobRecord& record) {
  const ArrayProgress& its = *record.array;
  return !record.leaving && !record.deferral.any() && !its.held &&
         its.reached < count_of(indices_of(record)) &&
         its.standing.size() < most_at_once(*record.submission->array);
}

void count(MemberCounts& counts, JobResult result, std::uint32_t more = 1) {
  switch (result) {
    case JobResult::completed:
      counts.completed += more;
      return;
    case JobResult::failed:
      counts.failed += more;
      return;
    case JobResult::cancelled:
      counts.cancelled += more;
      return;
    case JobResult::timed_out:
      counts.timed_out += more;
      return;
  }
}

// The next index of which a member is to be made is never one of those that were cancelled.
void pass_cancelled(JobRecord& record) {
  ArrayProgress& its = *record.array;
  const IndexSet& indices = indices_of(record);
  const std::uint32_t all = count_of(indices);
  while (its.reached < all && contains(its.cancelled, index_at(indices, its.reached))) {
    ++its.reached;
    ++its.ended.cancelled;
  }
  if (its.reached == all) its.cancelled.clear();
}

// "3 of 12 members did not complete: 1 failed, 2 were cancelled"
std::string failures_text(const MemberCounts& counts) {
  std::string parts;
  const auto add = [&](std::uint32_t how_many, const char* what) {
    if (how_many > 0) parts += (parts.empty() ? "" : ", ") + std::to_string(how_many) + what;
  };
  add(counts.failed, " failed");
  add(counts.timed_out, " timed out");
  add(counts.cancelled, " cancelled");
  return std::to_string(counts.all() - counts.completed) + " of " + std::to_string(counts.all()) +
         " members did not complete: " + parts;
}

void end_array(ClusterState& state, DerivedJob& known) {
  const ArrayProgress& its = *known.record->array;
  if (its.stopped) return leave(state, known, known.record->result, known.record->note);
  if (its.ended.all() == its.ended.completed) return leave(state, known, JobResult::completed, "");
  leave(state, known, JobResult::failed, failures_text(its.ended));
}

// Of the array that names it, the submission of one member.
Submission member_submission(const Submission& array, const ArrayMember& member) {
  Submission job = array;
  job.array.reset();
  job.member = member;
  job.start = {};
  job.hold = false;
  const std::string id = std::to_string(member.array.raw), index = std::to_string(member.index);
  for (const char* name : {"ALIQUOT_ARRAY_JOB", "SLURM_ARRAY_JOB_ID"})
    job.data.env.push_back(name + ("=" + id));
  for (const char* name : {"ALIQUOT_ARRAY_INDEX", "SLURM_ARRAY_TASK_ID"})
    job.data.env.push_back(name + ("=" + index));
  return job;
}

void make_due(JobId id, const JobRecord& record, JobId next, std::vector<Submitted>& due) {
  const ArrayProgress& its = *record.array;
  const IndexSet& indices = indices_of(record);
  const std::uint32_t all = count_of(indices), most = most_at_once(*record.submission->array);
  std::size_t standing = its.standing.size();
  for (std::uint32_t at = its.reached; at < all; ++at) {
    if (standing >= most || due.size() >= kMostMembersAtOnce) return;
    const std::uint32_t index = index_at(indices, at);
    if (contains(its.cancelled, index)) continue;
    due.push_back(
        {JobId{next.raw + due.size()}, member_submission(*record.submission, ArrayMember{id, index})});
    ++standing;
  }
}

void cancel_members(ClusterState& state, JobRecord& record, const Cancelled& event) {
  ArrayProgress& its = *record.array;
  std::vector<std::uint32_t> none_to_be_made;
  for (const std::uint32_t index : indices_from(indices_of(record), its.reached))
    if (contains(event.indices, index) || contains(its.cancelled, index)) none_to_be_made.push_back(index);
  its.cancelled = index_set(std::move(none_to_be_made));
  pass_cancelled(record);
  const std::vector<StandingMember> standing = its.standing;
  for (const StandingMember& member : standing)
    if (contains(event.indices, member.index))
      on(state, Cancelled{member.job, event.result, event.why, {}});
}

}  // namespace

bool awaits(const ClusterState& state, const ArrayMember& member) {
  const auto found = state.core.records.find(member.array);
  if (found == state.core.records.end() || !found->second.array || found->second.leaving) return false;
  const IndexSet& indices = indices_of(found->second);
  const std::uint32_t reached = found->second.array->reached;
  return reached < count_of(indices) && index_at(indices, reached) == member.index;
}

std::optional<JobId> standing_member(const JobRecord& array, std::uint32_t index) {
  if (!array.array) return std::nullopt;
  const std::vector<StandingMember>& standing = array.array->standing;
  const auto found = std::ranges::find(standing, index, &StandingMember::index);
  return found == standing.end() ? std::nullopt : std::optional(found->job);
}

bool is_to_come(const JobRecord& array, std::uint32_t index) {
  if (!array.array || array.leaving) return false;
  const IndexSet& indices = indices_of(array);
  const std::uint32_t reached = array.array->reached;
  return reached < count_of(indices) && index >= index_at(indices, reached) && contains(indices, index) &&
         !contains(array.array->cancelled, index);
}

void begin_array(ClusterState& state, JobId id, JobRecord& record) {
  record.array.emplace().held = record.submission->hold && !record.deferral.any();
  follow_array(state, id);
}

void note_member(ClusterState& state, JobId id, const ArrayMember& member) {
  JobRecord& record = *array_of(state, member.array);
  record.array->standing.push_back({member.index, id});
  ++record.array->reached;
  await_job(state, member, id);
  pass_cancelled(record);
  follow_array(state, member.array);
}

void hold_array(ClusterState& state, DerivedJob& known, bool held) {
  known.record->array->held = held;
  follow_array(state, known.id);
}

void cancel_array(ClusterState& state, DerivedJob& known, const Cancelled& event) {
  JobRecord& record = *known.record;
  ArrayProgress& its = *record.array;
  if (record.leaving) return;
  if (event.indices.empty()) {
    const std::uint32_t all = count_of(indices_of(record));
    its.ended.cancelled += all - std::exchange(its.reached, all);
    its.cancelled.clear();
    its.stopped = true;
    record.result = event.result;
    record.note = event.why;
    const std::vector<StandingMember> standing = its.standing;
    for (const StandingMember& member : standing)
      on(state, Cancelled{member.job, event.result, event.why, {}});
  } else {
    cancel_members(state, record, event);
  }
  follow_array(state, known.id);
}

void follow_array(ClusterState& state, JobId id) {
  DerivedJob* const known = state.derived.find(id);
  if (!known || !known->record->array) return;
  if (may_make(*known->record))
    state.arrays.making.insert(id);
  else
    state.arrays.making.erase(id);
  tell_of_members(state, id, *known->record);
  if (known->job && is_over(*known->record)) end_array(state, *known);
}

void tell_arrays(ClusterState& state) {
  std::vector<Arrays::MemberEnd>& news = state.arrays.ended;
  for (const Arrays::MemberEnd& end : news) {
    JobRecord* const record = array_of(state, end.member.array);
    if (!record) continue;
    std::erase_if(record->array->standing,
                  [&](const StandingMember& member) { return member.index == end.member.index; });
    count(record->array->ended, end.result);
    follow_array(state, end.member.array);
  }
  news.clear();
}

std::vector<Submitted> due_members(const ClusterState& state) {
  std::vector<Submitted> due;
  for (const JobId id : state.arrays.making)
    make_due(id, state.core.records.at(id), state.core.next_job, due);
  return due;
}

}  // namespace aliquot
