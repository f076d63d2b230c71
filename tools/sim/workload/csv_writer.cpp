#include "tools/sim/workload/csv_writer.hpp"

#include <algorithm>

#include "tools/sim/workload/columns.hpp"
#include "tools/sim/workload/csv_line.hpp"

namespace aliquot {

std::string workload_csv(const Workload& workload, bool as_written) {
  const bool estimates = std::ranges::any_of(workload.jobs, [as_written](const WorkloadJob& job) {
    const auto& estimate = job.submission.demand.estimate;
    return estimate && (as_written || *estimate != job.runtime());
  });
  const bool accounts = std::ranges::any_of(
      workload.jobs, [](const WorkloadJob& job) { return job.submission.account != 0; });
  std::string text = "job,submit,tasks,cpu_need,memory,runtime";
  text.append(estimates ? ",estimate" : "").append(accounts ? ",account" : "");
  for (const auto& [column, words] : workload.words.columns()) {
    if (is_known_column(column)) (text += ',') += column;
  }
  text += '\n';
  for (const WorkloadJob& job : workload.jobs) {
    const Demand& demand = job.submission.demand;
    text += std::to_string(job.id.raw) + ',' + to_text(job.submitted - Instant{}) + ',';
    text += std::to_string(demand.tasks) + ',' + to_text(job.cpu_need) + ',' + to_text(job.memory) + ',';
    text += to_text(job.runtime());
    if (estimates) text += ',' + (demand.estimate ? to_text(*demand.estimate) : "");
    if (accounts) text += ',' + csv_field(workload.accounts[job.submission.account]);
    for (const auto& [column, words] : workload.words.columns()) {
      if (is_known_column(column)) text += ',' + csv_field(workload.words.of(job.id, column));
    }
    text += '\n';
  }
  return text;
}

}  // namespace aliquot
