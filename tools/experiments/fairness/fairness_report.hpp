// The report of `evaluate fairness`: what the flood does to the other users, by policy and load.
#pragma once

#include "tools/experiments/fairness/study.hpp"
#include "tools/sim/output_file.hpp"
#include "tools/sim/table.hpp"

namespace aliquot::fairness {

[[nodiscard]] std::vector<Table> fairness_tables(const FairnessStudy& study);
[[nodiscard]] std::vector<OutputFile> fairness_files(const FairnessStudy& study);

}  // namespace aliquot::fairness
