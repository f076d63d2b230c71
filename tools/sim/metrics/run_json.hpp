// The figures of a run as JSON, in the order in which they are printed, and as tables for a reader.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/sim/metrics/run_figures.hpp"

namespace aliquot {

// Appends to the report of a run.
void add_figures(nlohmann::ordered_json& report, const RunFigures& run);

// Stretch by class of jobs, at most 80 columns wide; classes without jobs are left out.
[[nodiscard]] std::string class_tables(const RunFigures& run);

}  // namespace aliquot
