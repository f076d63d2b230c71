// One simulation of a trace from a file, with all that is remembered and written of it.
//
// A plain run begins while the trace is still being read. That changes nothing but how long it takes: where
// the trace turns out to be bad its error is told, and where its jobs are not in order the run begins anew.
#pragma once

#include <memory>
#include <optional>

#include "tools/sim/commands.hpp"
#include "tools/sim/metrics/run_outputs.hpp"
#include "tools/sim/picture/run_story.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {

struct OneRun {
  Workload workload;
  Collector collected;
  RunStory story;
  Watchers watchers{{&collected}};
  std::optional<RunOutputs> outputs;
  std::unique_ptr<Simulation> simulation;
  // Wall time of its parts, in seconds; they may overlap.
  double reading_s = 0;
  double simulating_s = 0;
};

// Notes about the workload are told on standard error. Errors: the policy's, the workload's, a run that
// cannot be finished, what cannot be written.
[[nodiscard]] Result<std::unique_ptr<OneRun>> run_once(const RunOptions& options);

}  // namespace aliquot
