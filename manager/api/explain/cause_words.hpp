// The cause of a decision as text: "job 7 arrived, job 3 ended (completed)". Pure; never empty.
#pragma once

#include <string>
#include <vector>

#include "monitor/record/step.hpp"

namespace aliquot {

struct JobRecord;

// "is to have 4 tasks in 60s: uid 1000 has asked for it"; "gets 3 more tasks, on n1 and n2".
[[nodiscard]] std::string tasks_changed_words(const TasksChanged& event, Instant now);
// "its task 0 announced 9 tasks in 60 s, which was refused: at most 8 are taken (limits.max_tasks)".
[[nodiscard]] std::string announcement_refused_words(const AnnouncementRefused& event, Instant now);
[[nodiscard]] std::string tasks_added_words(const ClusterView& view, const TasksAdded& event);

// "rerun 1 of 2", of a job that has started anew.
[[nodiscard]] std::string rerun_words(const JobRecord& record);

// "job 7", "jobs 7 and 8", "jobs 7, 8, 9 and 4 more".
[[nodiscard]] std::string jobs_words(const std::vector<JobId>& jobs);

// `step` is the step of the decision; its events have the names that Cause lacks.
[[nodiscard]] std::string cause_words(const Step& step, const ClusterView& view);

// What has changed of the cluster or of a job by this event, as a sentence; empty: nothing.
[[nodiscard]] std::string disturbance_words(const ClusterView& view, const Event& event);
// "0.92 s".
[[nodiscard]] std::string seconds_words(Duration time);

// The last event of the job in this step as text; empty: none.
[[nodiscard]] std::string event_words(const Step& step, const ClusterView& view, JobId job);

}  // namespace aliquot
