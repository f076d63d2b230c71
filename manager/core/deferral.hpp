// Jobs that may not start yet: they depend on other jobs, are to run alone among those of their name, or
// begin at a time.
//
// Such a job is held in the view until all that it waits for has come; then it arrives as if it had been
// submitted at that moment, so that no policy counts the time before. A job whose dependency cannot be met
// any more is cancelled, with a note that says why: it would wait for ever. What happens to one job may
// decide about a chain of others, so news is queued and told one by one.
#pragma once

#include <string>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

// Whether a job that has ended fulfils what is awaited of it.
[[nodiscard]] bool is_met(Awaited what, bool completed);
// "job 7 to complete"
[[nodiscard]] std::string awaited_text(const Dependency& dependency);
[[nodiscard]] std::string awaited_text(const std::vector<Dependency>& all);  // "..., ... and ..."
// Why that cannot be any more: "job 7 has ended and did not complete"
[[nodiscard]] std::string never_met_text(const Dependency& dependency);

// Of a job that has just been submitted: what it waits for. True if it has to wait. `hold`: it is held
// besides.
bool defer(ClusterState& state, JobId job, JobRecord& record, bool hold);
// The job arrives now if nothing is left that it waits for. One that starts anew has waited since it came.
void arrive_if_ready(ClusterState& state, DerivedJob& known);
// Enters a job of a stored state in the index.
void enter(ClusterState& state, JobId job, const JobRecord& record);

// The job has started now, or had before.
void note_start(ClusterState& state, JobId job, JobRecord& record);
// The job has ended, and its record is about to be erased.
void note_end(ClusterState& state, JobId job, const JobRecord& record, bool completed);

// Jobs that wait for this member of an array wait for the job that it is, now that it has been made.
void await_job(ClusterState& state, const ArrayMember& member, JobId job);
// Jobs that wait for members of the array which will not be made are to be told so.
void tell_of_members(ClusterState& state, JobId array, const JobRecord& record);

// Tells the jobs that wait what has happened since: they arrive, or leave.
void tell_dependents(ClusterState& state);
// The jobs whose time to begin has come.
void begin_due(ClusterState& state);
[[nodiscard]] Instant next_begin(const ClusterState& state);

}  // namespace aliquot
