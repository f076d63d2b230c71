// Cuts a trace into weeks, each a workload of its own, as the DFRS paper does with HPC2N (IV-C).
//
// Week k (from 1) has the jobs submitted in [(k-1) x 604800 s, k x 604800 s) of the trace's own time, and
// starts at time 0 again. HPC2N then has 182 weeks, as in the paper, each with jobs; counted from its first
// submission it would have 181. The effect of a job on the week after its own is lost, as in the paper.
#pragma once

#include <vector>

#include "tools/sim/workload.hpp"

namespace aliquot {

inline constexpr Duration kWeek = seconds(7 * 24 * 3600);

// All weeks up to the last with jobs; a week in between may be empty.
[[nodiscard]] std::vector<Workload> weeks(const Workload& workload);

// Week `number`, from 1. Errors: the trace has fewer weeks, or none of its jobs is submitted in that one.
[[nodiscard]] Result<Workload> week(const Workload& workload, std::uint64_t number);

}  // namespace aliquot
