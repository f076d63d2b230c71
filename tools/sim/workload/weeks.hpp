// A trace in weeks, as the DFRS paper takes HPC2N (IV-C): one data point for each.
//
// Week k (from 1) has the jobs submitted in [(k-1) x 604800 s, k x 604800 s), counted from the trace's own
// time 0, and its time begins at 0 again. Counted so HPC2N has 182 weeks, as the paper says, every one with
// jobs; from its first submission it would have 181. What a job of the week before still does to a week is
// lost, as in the paper.
#pragma once

#include <vector>

#include "tools/sim/workload.hpp"

namespace aliquot {

inline constexpr Duration kWeek = seconds(7 * 24 * 3600);

// All up to the last that has jobs; one in between may have none.
[[nodiscard]] std::vector<Workload> weeks(const Workload& workload);

// Week `number`, from 1. Errors: the trace has fewer weeks, or none of its jobs is submitted in that one.
[[nodiscard]] Result<Workload> week(const Workload& workload, std::uint64_t number);

}  // namespace aliquot
