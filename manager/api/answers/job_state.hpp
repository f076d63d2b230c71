// What a user calls the state of a job: one word, from what the plan in force wants and what stands.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "manager/core/state.hpp"

namespace aliquot {

enum class JobState : std::uint8_t {
  pending,    // waits for its first placement
  held,       // its user or an operator holds it back
  starting,   // placed; its VMs are being made
  running,    // all its VMs run
  migrating,  // runs, and some VM is on its way to another node
  pausing,    // its VMs are being saved
  paused,     // saved: it holds nothing
  resuming,   // its VMs are being restored
  ending,     // cancelled, failed or timed out: its VMs are being destroyed
  completed,
  failed,
  cancelled,
  timed_out,
};

[[nodiscard]] std::string_view word(JobState state);
[[nodiscard]] const std::vector<JobState>& all_job_states();

// Of a job that has not ended.
[[nodiscard]] JobState job_state(const Job& job, const JobRecord& record);
[[nodiscard]] JobState job_state(JobResult result);

}  // namespace aliquot
