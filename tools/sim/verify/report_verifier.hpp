// Recomputes the figures of `run --json` from the workload, the --jobs-out file and, if given, the events,
// and compares them. The formulas of GLOSSARY.md are implemented here a second time on purpose. Measured
// times cannot be recomputed and are left out.
#pragma once

#include <optional>

#include "tools/sim/verify/events_verifier.hpp"
#include "tools/sim/verify/jobs_table.hpp"

namespace aliquot {

// `nodes` empty: figures that need the capacity are left out. Errors: no such file, not JSON.
[[nodiscard]] Result<void> verify_report(const Workload& workload, const std::vector<Node>& nodes,
                                         const std::vector<JobsTableRow>& jobs,
                                         const std::optional<EventsReading>& events,
                                         const std::string& path, Findings& findings);

}  // namespace aliquot
