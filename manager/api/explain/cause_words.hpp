// What a decision was about, as a clause: "job 7 arrived, job 3 ended (completed)". Pure; never empty.
#pragma once

#include <string>
#include <vector>

#include "policies/model/step.hpp"

namespace aliquot {

// "job 7", "jobs 7 and 8", "jobs 7, 8, 9 and 4 more".
[[nodiscard]] std::string jobs_words(const std::vector<JobId>& jobs);

// `step` is the one in which the decision was taken: it names what its cause only counts.
[[nodiscard]] std::string cause_words(const Step& step, const ClusterView& view);

// What happened to the job in this step without a decision: the clause of its last event; empty: nothing.
[[nodiscard]] std::string event_words(const Step& step, const ClusterView& view, JobId job);

}  // namespace aliquot
