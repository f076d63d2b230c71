#include "tools/sim/workload/csv_writer.hpp"

#include <algorithm>

#include "tools/sim/workload/csv_line.hpp"

namespace aliquot {

std::string workload_csv(const Workload& workload) {
  const bool estimates = std::ranges::any_of(workload.jobs, [](const WorkloadJob& job) {
    return job.submission.demand.estimate.value_or(job.runtime()) != job.runtime();
  });
  const bool accounts = std::ranges::any_of(
      workload.jobs, [](const WorkloadJob& job) { return job.submission.account != 0; });
  std::string text = "job,submit,tasks,cpu_need,memory,runtime";
  text.append(estimates ? ",estimate" : "").append(accounts ? ",account\n" : "\n");
  for (const WorkloadJob& job : workload.jobs) {
    const Demand& demand = job.submission.demand;
    text += std::to_string(job.id.raw) + ',' + to_text(job.submitted - Instant{}) + ',';
    text += std::to_string(demand.tasks) + ',' + to_text(job.cpu_need) + ',' + to_text(job.memory) + ',';
    text += to_text(job.runtime());
    if (estimates) text += ',' + to_text(demand.estimate.value_or(job.runtime()));
    if (accounts) text += ',' + csv_field(workload.accounts[job.submission.account]);
    text += '\n';
  }
  return text;
}

}  // namespace aliquot
