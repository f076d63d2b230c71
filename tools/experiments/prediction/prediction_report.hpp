// The report of `evaluate predictions`: errors and calibration, slowdowns by policy and source, CSV files,
// a page with the calibration week by week.
#pragma once

#include "tools/experiments/prediction/study.hpp"
#include "tools/sim/output_file.hpp"
#include "tools/sim/table.hpp"

namespace aliquot::prediction {

// The predictions themselves, and what policies make of them.
[[nodiscard]] std::vector<Table> prediction_tables(const PredictionStudy& study);
[[nodiscard]] std::vector<OutputFile> prediction_files(const PredictionStudy& study);

}  // namespace aliquot::prediction
