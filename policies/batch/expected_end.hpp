// When a job will end, as far as its estimate tells: what is left of the work at the yield in force. For a
// job that waits or is paused: when it would if it had whole nodes from now on (a resume is charged).
#pragma once

#include "policies/model/view.hpp"

namespace aliquot {

// The whole work of the job: its estimate, doubled as often as it has proved too short; a year if the job
// has no estimate.
[[nodiscard]] VirtualTime believed_work(const Job& job, Instant now);

// `work` is the whole work of the job, more than it has done so far.
[[nodiscard]] Instant expected_end(const ClusterView& view, const Job& job, Yield yield, VirtualTime work);

// As EASY has it: by the estimate alone, at once if the job is past it; kNever if it has none.
[[nodiscard]] Instant estimated_end(const ClusterView& view, const Job& job, Yield yield);

}  // namespace aliquot
