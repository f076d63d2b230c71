// The report of `evaluate power`: a table for each kind of instance, by load and rule, and the files of a
// folder. It follows from the study alone; the same study gives the same bytes.
#pragma once

#include <vector>

#include "tools/experiments/power/study.hpp"
#include "tools/sim/output_file.hpp"
#include "tools/sim/table.hpp"

namespace aliquot::power {

[[nodiscard]] std::vector<Table> power_tables(const PowerStudy& study);
// runs.csv, a row for each instance and rule; a CSV of the tables; tables.md; report.html.
[[nodiscard]] std::vector<OutputFile> power_files(const PowerStudy& study);

}  // namespace aliquot::power
