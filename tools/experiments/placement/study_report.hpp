// What a study of placement writes: tables, CSV, and a page with plots.
#pragma once

#include "tools/experiments/campaign/report_files.hpp"
#include "tools/experiments/placement/study.hpp"
#include "tools/sim/drawing/styles.hpp"

namespace aliquot {

// Tables 6 and 7 of the first paper beside ours.
[[nodiscard]] Table esp_table(const Study& study);
// esp.csv, jobs.csv, esp.md, report.html and a figure.
[[nodiscard]] std::vector<OutputFile> esp_files(const Study& study);

// One table for each measure of the second paper: a row for each workload, a column for each experiment.
[[nodiscard]] std::vector<Table> gpu_mix_tables(const Study& study);
// gpu-mix.csv, gpu-mix.md, report.html and a figure.
[[nodiscard]] std::vector<OutputFile> gpu_mix_files(const Study& study);

// All figures of every experiment.
[[nodiscard]] std::string outcomes_csv(const Study& study);

// How an experiment looks in plots, by its policy: backfill grey, IPSCHED cool, AUCSCHED warm; multifactor
// priorities have marks of their own.
[[nodiscard]] SeriesStyle experiment_style(const std::string& policy, std::size_t position);

// For the foot of a page.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> study_facts(const Study& study);

}  // namespace aliquot
