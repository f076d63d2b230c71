// The report of `evaluate collocation`: a table by load and rule, and the files of a folder. It follows
// from the study alone; the same study gives the same bytes.
#pragma once

#include <vector>

#include "tools/experiments/collocation/study.hpp"
#include "tools/sim/output_file.hpp"
#include "tools/sim/table.hpp"

namespace aliquot::collocation {

[[nodiscard]] Table collocation_table(const CollocationStudy& study);
// runs.csv, a row for each trace and rule; collocation.csv and tables.md, the table; report.html.
[[nodiscard]] std::vector<OutputFile> collocation_files(const CollocationStudy& study);

}  // namespace aliquot::collocation
