// The report of `evaluate moldable`: each rule over all traces, the traces one by one, CSV files, a page.
#pragma once

#include "tools/experiments/moldable/study.hpp"
#include "tools/sim/output_file.hpp"
#include "tools/sim/table.hpp"

namespace aliquot::moldable {

// By rule, and by trace.
[[nodiscard]] std::vector<Table> moldable_tables(const MoldableStudy& study);
[[nodiscard]] std::vector<OutputFile> moldable_files(const MoldableStudy& study);

}  // namespace aliquot::moldable
