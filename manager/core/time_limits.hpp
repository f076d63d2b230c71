// The limits of jobs: of their virtual time (Submission::time_limit), so that a slowed or paused job is not
// cut short, and of the time since they first ran (Submission::wall_limit), pauses included. A job that has
// reached one leaves.
//
// A while before that, if its user wants it (Submission::warn), every task is told, once: one that does not
// run then, when it runs again. What it does of it is its own affair; a job whose tasks then fail has
// timed out, and has not failed.
#pragma once

#include <string>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

[[nodiscard]] inline bool has_limit(const Submission& job) { return job.time_limit || job.wall_limit; }

// What policies are told of the limits.
void show_limits(Job& job, const Submission& submission);

// When its wall-clock limit is reached, less `before`; kNever if it has none or has not run yet.
[[nodiscard]] Instant wall_limit_at(const JobRecord& record, Duration before = {});

// Jobs that have reached a limit leave, and those that are near one are to be warned.
void expire_limits(ClusterState& state);
// When the next of that is due, at the present rates; kNever if nothing is.
[[nodiscard]] Instant next_limit(const ClusterState& state);

// The job goes on from an earlier point, of which its guests know no warning.
void forget_warning(ClusterState& state, DerivedJob& known);

// What a job has come to whose tasks have failed.
[[nodiscard]] JobResult result_of_failure(const JobRecord& record);
// "task 0 ended with exit status 143, after it was told that a limit was near"
[[nodiscard]] std::string after_warning(const JobRecord& record, const std::string& note);

}  // namespace aliquot
