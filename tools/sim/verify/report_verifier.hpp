// Computes the figures of `run --json` anew, from the workload, the --jobs-out file and, where there is
// one, the per-event CSV, and compares. Formulas as in GLOSSARY.md, written here a second time on purpose.
//
// Times of the computer itself (decisions, wall clock) cannot be computed anew and are left out.
#pragma once

#include <optional>

#include "tools/sim/verify/events_verifier.hpp"
#include "tools/sim/verify/jobs_table.hpp"

namespace aliquot {

// `nodes` empty: what needs the capacity is left out. Errors: no such file, not JSON.
[[nodiscard]] Result<void> verify_report(const Workload& workload, const std::vector<Node>& nodes,
                                         const std::vector<JobsTableRow>& jobs,
                                         const std::optional<EventsReading>& events,
                                         const std::string& path, Findings& findings);

}  // namespace aliquot
