#include "tools/sim/workload/csv_writer.hpp"

#include <algorithm>

#include "tools/sim/workload/columns.hpp"
#include "tools/sim/workload/csv_line.hpp"
#include "tools/sim/workload/placement_columns.hpp"

namespace aliquot {

namespace {

// What a job says in a column of its own words, or of its demand.
std::string word_of(const Workload& workload, const WorkloadJob& job, std::string_view column) {
  const std::string& word = workload.words.of(job.id, column);
  return word.empty() ? placement_text(job.submission.demand, workload.device_models, column) : word;
}

// Those of kKnownColumns in which some job says something, by name.
std::vector<std::string_view> spoken_columns(const Workload& workload) {
  std::vector<std::string_view> columns;
  for (const std::string_view column : kKnownColumns) {
    const bool spoken =
        workload.words.columns().contains(column) ||
        std::ranges::any_of(workload.jobs, [&](const WorkloadJob& job) {
          return !placement_text(job.submission.demand, workload.device_models, column).empty();
        });
    if (spoken) columns.push_back(column);
  }
  std::ranges::sort(columns);
  return columns;
}

}  // namespace

std::string workload_csv(const Workload& workload, bool as_written) {
  const bool estimates = std::ranges::any_of(workload.jobs, [as_written](const WorkloadJob& job) {
    const auto& estimate = job.submission.demand.estimate;
    return estimate && (as_written || *estimate != job.runtime());
  });
  const bool accounts = std::ranges::any_of(
      workload.jobs, [](const WorkloadJob& job) { return job.submission.account != 0; });
  std::string text = "job,submit,tasks,cpu_need,memory,runtime";
  text.append(estimates ? ",estimate" : "").append(accounts ? ",account" : "");
  const std::vector<std::string_view> columns = spoken_columns(workload);
  for (const std::string_view column : columns) (text += ',') += column;
  text += '\n';
  for (const WorkloadJob& job : workload.jobs) {
    const Demand& demand = job.submission.demand;
    text += std::to_string(job.id.raw) + ',' + to_text(job.submitted - Instant{}) + ',';
    text += std::to_string(demand.tasks) + ',' + to_text(job.cpu_need) + ',' + to_text(job.memory) + ',';
    text += to_text(job.runtime());
    if (estimates) text += ',' + (demand.estimate ? to_text(*demand.estimate) : "");
    if (accounts) text += ',' + csv_field(workload.accounts[job.submission.account]);
    for (const std::string_view column : columns) text += ',' + csv_field(word_of(workload, job, column));
    text += '\n';
  }
  return text;
}

}  // namespace aliquot
