// The state of a job as users see it: one word, computed from the plan in force and the states of the VMs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "manager/core/state.hpp"

namespace aliquot {

enum class JobState : std::uint8_t {
  pending,      // waits for its first placement
  held,         // held by its user or an operator
  deferred,     // may not start before other jobs have, or before a time
  array,        // an array that has members or is to make some
  starting,     // placed; its VMs are being created
  running,      // all its VMs run
  migrating,    // runs; at least one VM is being migrated
  pausing,      // its VMs are being saved
  paused,       // saved: it holds neither CPU nor memory of a node
  resuming,     // its VMs are being restored
  unreachable,  // a node of its VMs does not answer
  ending,       // cancelled, failed or timed out: its VMs are being destroyed
  completed,
  failed,
  cancelled,
  timed_out,
};

[[nodiscard]] std::string_view word(JobState state);
[[nodiscard]] const std::vector<JobState>& all_job_states();

// For a job that has not ended.
[[nodiscard]] JobState job_state(const Job& job, const JobRecord& record);
[[nodiscard]] JobState job_state(JobResult result);

// The yield that the plan in force gives the job; none: it is not placed, or it is ending and its CPU is
// promised to others already.
[[nodiscard]] std::optional<Yield> yield_given(const Job& job, const JobRecord& record);

}  // namespace aliquot
