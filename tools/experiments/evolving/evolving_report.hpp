// The report of `evaluate evolving`: Tables 1 and 2 of the paper beside ours, what better orders bring, and
// the files of a folder. It follows from the study alone; the same study gives the same bytes.
#pragma once

#include <vector>

#include "tools/experiments/evolving/study.hpp"
#include "tools/sim/output_file.hpp"
#include "tools/sim/table.hpp"

namespace aliquot::evolving {

// Table 1, Table 2, and the orders if they were compared.
[[nodiscard]] std::vector<Table> evolving_tables(const EvolvingStudy& study);
// tests.csv, a row for each test case and algorithm; a CSV for each table; tables.md; report.html.
[[nodiscard]] std::vector<OutputFile> evolving_files(const EvolvingStudy& study);

}  // namespace aliquot::evolving
