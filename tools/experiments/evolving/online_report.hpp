// The report of `evaluate evolving-online`: a table of the variants by load, every run in a CSV, a page. It
// follows from the study alone; the same study gives the same bytes.
#pragma once

#include <vector>

#include "tools/experiments/evolving/online_study.hpp"
#include "tools/sim/output_file.hpp"
#include "tools/sim/table.hpp"

namespace aliquot::evolving {

[[nodiscard]] std::vector<Table> online_tables(const OnlineStudy& study);
// runs.csv, online.csv, tables.md, report.html.
[[nodiscard]] std::vector<OutputFile> online_files(const OnlineStudy& study);

}  // namespace aliquot::evolving
