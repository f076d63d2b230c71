#include "tools/sim/workload/swf_writer.hpp"

#include <algorithm>

#include "tools/sim/workload/limits.hpp"

namespace aliquot {

bool is_swf_number(const std::string& text) {
  const auto number = parse_count(text, kLargestJobId);
  return number && std::to_string(*number) == text;
}

std::string workload_swf(const Workload& workload, std::uint32_t nodes) {
  for (const WorkloadJob& job : workload.jobs) nodes = std::max(nodes, job.submission.demand.tasks);
  const std::string count = std::to_string(workload.jobs.size());
  std::string text = "; Version: 2.2\n; MaxJobs: " + count + "\n; MaxRecords: " + count +
                     "\n; MaxProcs: " + std::to_string(nodes) + "\n";
  for (const WorkloadJob& job : workload.jobs) {
    const TraceSubmission& said = job.submission;
    const std::string tasks = ' ' + std::to_string(said.demand.tasks);
    const std::string& user = workload.words.of(job.id, "user");
    text += std::to_string(job.id.raw) + ' ' + to_text(job.submitted - Instant{}) + " -1 ";
    text += to_text(job.runtime()) + tasks + " -1 -1" + tasks + ' ';
    text += said.demand.estimate ? to_text(*said.demand.estimate) : "-1";
    text += said.exit_code == 0 ? " -1 1 " : " -1 0 ";
    text += is_swf_number(user) ? user : "-1";
    text += " -1 -1 -1 -1 -1 -1\n";
  }
  return text;
}

}  // namespace aliquot
