// `evaluate openb`: the inflation experiment (inflation.hpp) under several policies, each on the same
// random orders of the tasks, and its report: a table for the terminal, and files for a folder.
#pragma once

#include <string>
#include <vector>

#include "tools/experiments/openb/inflation.hpp"
#include "tools/sim/output_file.hpp"
#include "tools/sim/table.hpp"

namespace aliquot {

struct OpenbOptions {
  std::string nodes_path, tasks_path;
  std::vector<std::string> policies;  // canonical names
  std::uint64_t first_seed = 1;       // of the first order; each further one has the next
  std::uint64_t orders = 10;
};

struct OpenbStudy {
  std::string nodes_path, tasks_path;
  std::size_t nodes = 0;
  std::size_t tasks = 0;
  double devices = 0;
  std::vector<std::string> policies;
  std::vector<Inflation> runs;  // by policy, then by order
};

// Shows its progress on standard error. Errors: a file that cannot be read; a plan that the checker
// refuses.
[[nodiscard]] Result<OpenbStudy> openb_study(const OpenbOptions& options);

// One row a policy, averaged over the orders.
[[nodiscard]] Table openb_table(const OpenbStudy& study);
// runs.csv, a row for each run; table.md; report.html with the free devices over those asked for.
[[nodiscard]] std::vector<OutputFile> openb_files(const OpenbStudy& study);

}  // namespace aliquot
