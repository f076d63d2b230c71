// What `evaluate openb` says: a table for the terminal, and files for a folder.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/campaign/table.hpp"
#include "tools/sim/openb/inflation.hpp"

namespace aliquot {

struct OpenbStudy {
  std::string nodes_path, tasks_path;
  std::size_t nodes = 0;
  std::size_t tasks = 0;
  double devices = 0;
  std::vector<std::string> policies;
  std::vector<Inflation> runs;  // by policy, then by order
};

// One row a policy, averaged over the orders.
[[nodiscard]] Table openb_table(const OpenbStudy& study);
// One row a run.
[[nodiscard]] Table openb_runs(const OpenbStudy& study);
// A page: the table, and the free devices over those that were asked for.
[[nodiscard]] std::string openb_page(const OpenbStudy& study);

}  // namespace aliquot
