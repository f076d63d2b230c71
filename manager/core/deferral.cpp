#include "manager/core/deferral.hpp"

#include <algorithm>

#include "manager/core/account_limits.hpp"
#include "manager/core/array_transitions.hpp"
#include "manager/core/job_transitions.hpp"

namespace aliquot {
namespace {

Deferred::Name name_of(const Submission& submission) { return {submission.uid, submission.name}; }

// "job 7", "member 3 of array 7"
std::string name_of(const Dependency& one) {
  if (!one.member) return "job " + std::to_string(one.job.raw);
  return "member " + std::to_string(*one.member) + " of array " + std::to_string(one.job.raw);
}

// Among the jobs that have just ended, and are in no record any more.
const JobOutcome* just_ended(const ClusterState& state, JobId job) {
  const auto found = std::ranges::find(state.ended, job, &JobOutcome::job);
  return found == state.ended.end() ? nullptr : &*found;
}

bool is_still_to_come(const ClusterState& state, const Dependency& one) {
  if (!one.member) return false;
  const auto array = state.core.records.find(one.job);
  return array != state.core.records.end() && is_to_come(array->second, *one.member);
}

// Of a member that stands, or has just ended, the job that it is.
Dependency as_job(const ClusterState& state, const Dependency& one) {
  if (!one.member) return one;
  const auto array = state.core.records.find(one.job);
  if (array != state.core.records.end())
    if (const auto job = standing_member(array->second, *one.member)) return {*job, one.what};
  const ArrayMember member{one.job, *one.member};
  for (const JobOutcome& ended : state.ended)
    if (ended.submission->member == member) return {ended.job, one.what};
  return one;
}

// The job itself, if it still waits; null: it is leaving.
DerivedJob* waiting(ClusterState& state, JobId job) {
  DerivedJob* const known = state.derived.find(job);
  return known && known->job && known->record->deferral.any() ? known : nullptr;
}

void forget(ClusterState& state, JobId on, JobId dependent) {
  const auto found = state.deferred.dependents.find(on);
  if (found == state.deferred.dependents.end()) return;
  found->second.erase(dependent);
  if (found->second.empty()) state.deferred.dependents.erase(found);
}

void tell(ClusterState& state, DerivedJob& known, const Deferred::News& news) {
  std::vector<Dependency>& after = known.record->deferral.after;
  const auto is_over = [&](const Dependency& one) {
    if (one.job != news.job) return false;
    // A member that is awaited when its array ends, as one that waited itself and left, is never made.
    const bool is_of_array = one.member && !news.member && news.has_ended;
    return is_of_array || (one.member == news.member && (news.has_ended || one.what == Awaited::start));
  };
  for (const Dependency& one : after)
    if (is_over(one) && news.has_ended && !is_met(one.what, news.completed))
      return leave(state, known, JobResult::cancelled,
                   never_met_text(one) + ", which it was to wait for; submit it anew without that");
  std::erase_if(after, is_over);
  if (std::ranges::find(after, news.job, &Dependency::job) == after.end())
    forget(state, news.job, known.id);
  arrive_if_ready(state, known);
}

// The earliest job of that name may run.
void follow_name(ClusterState& state, const Deferred::Name& name) {
  const auto found = state.deferred.named.find(name);
  if (found == state.deferred.named.end()) return;
  DerivedJob* const known = waiting(state, *found->second.begin());
  if (!known || !known->record->deferral.singleton) return;
  known->record->deferral.singleton = false;
  arrive_if_ready(state, *known);
}

}  // namespace

void arrive_if_ready(ClusterState& state, DerivedJob& known) {
  if (known.record->deferral.any()) return recount(state, known.id);
  const bool held = known.record->deferral.held;
  known.record->deferral = {};
  recount(state, known.id);
  if (known.record->array) return hold_array(state, known, held);
  {
    const JobEdit edit(state, *known.job);
    known.job->held = held;
    known.job->phase_since = state.now();
    if (known.record->reruns == 0) known.job->submitted = state.now();
  }
  known.spec.reset();
  if (!held) arrive(state, known.id);
}

bool is_met(Awaited what, bool completed) {
  if (what == Awaited::success) return completed;
  return what != Awaited::failure || !completed;
}

std::string awaited_text(const Dependency& dependency) {
  const std::string job = name_of(dependency);
  switch (dependency.what) {
    case Awaited::start:
      return job + " to start";
    case Awaited::end:
      return job + " to end";
    case Awaited::success:
      return job + " to complete";
    case Awaited::failure:
      return job + " to fail";
  }
  return job;
}

std::string awaited_text(const std::vector<Dependency>& all) {
  std::string text;
  for (std::size_t k = 0; k < all.size(); ++k)
    text += (k == 0 ? "" : k + 1 == all.size() ? " and " : ", ") + awaited_text(all[k]);
  return text;
}

std::string never_met_text(const Dependency& dependency) {
  return name_of(dependency) + (dependency.what == Awaited::failure ? " has completed and did not fail"
                                                                    : " has ended and did not complete");
}

void await_job(ClusterState& state, const ArrayMember& member, JobId job) {
  const auto found = state.deferred.dependents.find(member.array);
  if (found == state.deferred.dependents.end()) return;
  const std::set<JobId> dependents = found->second;
  for (const JobId dependent : dependents) {
    DerivedJob* const known = waiting(state, dependent);
    if (!known) continue;
    std::vector<Dependency>& after = known->record->deferral.after;
    for (Dependency& one : after) {
      if (one.job != member.array || one.member != member.index) continue;
      one = {job, one.what};
      state.deferred.dependents[job].insert(dependent);
    }
    if (std::ranges::find(after, member.array, &Dependency::job) == after.end())
      forget(state, member.array, dependent);
  }
}

void tell_of_members(ClusterState& state, JobId array, const JobRecord& record) {
  const auto found = state.deferred.dependents.find(array);
  if (found == state.deferred.dependents.end()) return;
  for (const JobId dependent : found->second)
    if (const DerivedJob* const known = waiting(state, dependent))
      for (const Dependency& one : known->record->deferral.after)
        if (one.job == array && one.member && !is_to_come(record, *one.member))
          state.deferred.news.push_back({array, true, false, {}, one.member});
}

bool defer(ClusterState& state, JobId job, JobRecord& record, bool hold) {
  const StartTerms& terms = record.submission->start;
  Deferral& deferral = record.deferral;
  for (const Dependency& awaited : terms.after) {
    if (is_still_to_come(state, awaited)) {
      deferral.after.push_back(awaited);
      continue;
    }
    const Dependency one = as_job(state, awaited);
    if (one.member) continue;  // it has ended earlier, as below
    const auto other = state.core.records.find(one.job);
    // One that has ended earlier fulfils what is awaited: otherwise the job would not have been accepted.
    if (other != state.core.records.end() && one.job < job) {
      const bool has_started = one.what == Awaited::start && other->second.started;
      if (!has_started) deferral.after.push_back(one);
    } else if (const JobOutcome* const ended = just_ended(state, one.job)) {
      const bool completed = ended->result == JobResult::completed;
      if (is_met(one.what, completed)) continue;
      deferral.after.push_back(one);
      state.deferred.news.push_back({one.job, true, completed, {}});
    }
  }
  if (terms.begin && *terms.begin > state.now()) deferral.begin = terms.begin;
  if (terms.singleton) {
    const auto same = state.deferred.named.find(name_of(*record.submission));
    deferral.singleton = same != state.deferred.named.end() && *same->second.begin() < job;
  }
  deferral.limited = is_limited(state, *record.submission);
  enter(state, job, record);
  deferral.held = deferral.any() && hold;
  return deferral.any();
}

void enter(ClusterState& state, JobId job, const JobRecord& record) {
  Deferred& deferred = state.deferred;
  if (!record.submission->name.empty()) deferred.named[name_of(*record.submission)].insert(job);
  for (const Dependency& one : record.deferral.after) deferred.dependents[one.job].insert(job);
  if (record.deferral.begin) deferred.begins.insert({*record.deferral.begin, job});
}

void note_start(ClusterState& state, JobId job, JobRecord& record) {
  if (record.started) return;
  record.started = state.now();
  if (const auto& member = record.submission->member)
    if (const auto array = state.core.records.find(member->array); array != state.core.records.end())
      note_start(state, member->array, array->second);
  if (state.deferred.dependents.contains(job)) state.deferred.news.push_back({job, false, false, {}});
}

void note_end(ClusterState& state, JobId job, const JobRecord& record, bool completed) {
  Deferred& deferred = state.deferred;
  for (const Dependency& one : record.deferral.after) forget(state, one.job, job);
  if (record.deferral.begin) deferred.begins.erase({*record.deferral.begin, job});
  const Deferred::Name name = name_of(*record.submission);
  const auto same = deferred.named.find(name);
  if (same != deferred.named.end()) {
    same->second.erase(job);
    if (same->second.empty()) deferred.named.erase(same);
  }
  const bool is_awaited = deferred.dependents.contains(job) || deferred.named.contains(name);
  if (is_awaited) deferred.news.push_back({job, true, completed, name});
}

void tell_dependents(ClusterState& state) {
  std::vector<Deferred::News>& news = state.deferred.news;
  // Those that leave are news themselves, at the end of the list.
  for (std::size_t k = 0; k < news.size(); ++k) {
    const Deferred::News one = news[k];
    const auto found = state.deferred.dependents.find(one.job);
    const std::set<JobId> told =
        found == state.deferred.dependents.end() ? std::set<JobId>() : found->second;
    for (const JobId job : told)
      if (DerivedJob* const known = waiting(state, job)) tell(state, *known, one);
    if (one.has_ended) follow_name(state, one.name);
  }
  news.clear();
}

void begin_due(ClusterState& state) {
  auto& begins = state.deferred.begins;
  while (!begins.empty() && begins.begin()->first <= state.now()) {
    const JobId job = begins.begin()->second;
    begins.erase(begins.begin());
    DerivedJob* const known = waiting(state, job);
    if (!known) continue;
    known->record->deferral.begin.reset();
    arrive_if_ready(state, *known);
  }
}

Instant next_begin(const ClusterState& state) {
  const auto& begins = state.deferred.begins;
  return begins.empty() ? kNever : begins.begin()->first;
}

}  // namespace aliquot
