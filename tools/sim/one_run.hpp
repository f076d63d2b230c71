// One run: reads a workload, simulates it under a policy, and keeps what `run` reports and writes.
//
// A run without output files starts while the trace is still being read, which changes nothing but its
// duration: if the trace turns out to be bad, its error is returned; if its jobs are not in order, the run
// starts again.
#pragma once

#include <memory>
#include <optional>

#include "tools/sim/commands.hpp"
#include "tools/sim/metrics/run_outputs.hpp"
#include "tools/sim/picture/run_timeline.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {

struct OneRun {
  Workload workload;
  Collector collected;
  RunTimeline timeline;
  Watchers watchers{{&collected}};
  std::optional<RunOutputs> outputs;
  std::unique_ptr<Simulation> simulation;
  // Wall time of its parts, in seconds; they may overlap.
  double reading_s = 0;
  double simulating_s = 0;
};

// Prints notes about the workload on standard error. Errors: of the policy, of the workload, a run that
// cannot be finished, a file that cannot be written.
[[nodiscard]] Result<std::unique_ptr<OneRun>> run_once(const RunOptions& options);

}  // namespace aliquot
