// Reads the columns of a --jobs-out file that the other verifications need. jobs_verifier.hpp has verified
// the file before.
#pragma once

#include <string>
#include <vector>

#include "policies/model/id.hpp"
#include "tools/sim/decimal.hpp"

namespace aliquot {

struct JobsTableRow {
  JobId job;
  Decimal submit;  // seconds
  Decimal start;
  Decimal end;
  std::uint64_t tasks = 0;
  Decimal runtime;
  Decimal virtual_time;
  std::uint64_t preemptions = 0;
  std::uint64_t migrations = 0;
};

[[nodiscard]] Result<std::vector<JobsTableRow>> read_jobs_table(const std::string& path);

}  // namespace aliquot
