// The report of `evaluate validity`: tables, a page, and the files with which the simulation is run again
// by hand. It follows from the live run's journal and its work table alone.
#pragma once

#include "tools/experiments/validity/comparison.hpp"
#include "tools/sim/output_file.hpp"
#include "tools/sim/table.hpp"

namespace aliquot {

struct Validity {
  LiveRun live;
  std::vector<ActionCost> costs;
  Reenactment what;
  std::vector<LiveComparison> models;  // the first one is judged
};

// jobs.csv, costs.csv, models.csv, workload.csv, cluster.yaml, tables.md, report.html.
[[nodiscard]] std::vector<OutputFile> validity_files(const Validity& validity);

// A row for each model, and what actions cost.
[[nodiscard]] Table models_table(const Validity& validity);
[[nodiscard]] Table costs_table(const Validity& validity);
// "median error 1.2 %, p95 6.3 %, of 40 jobs: within the bounds (5 %, 15 %)".
[[nodiscard]] std::string verdict(const LiveComparison& judged);
// The command that runs the simulation by hand, in the folder of these files.
[[nodiscard]] std::string command_line(const Validity& validity);

}  // namespace aliquot
