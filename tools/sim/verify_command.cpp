#include <iostream>

#include "tools/sim/commands.hpp"
#include "tools/sim/verify.hpp"
#include "tools/sim/verify/run_verifier.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {

int verify_command(const VerifyOptions& options) {
  // Without a number of nodes no job of the workload is too wide; the laws of the whole cluster are left
  // out.
  const ClusterShape& shape = options.read.shape;
  ReadOptions read = options.read;
  if (shape.nodes == 0) read.shape.nodes = kMostNodes;
  const auto workload = read_workload(options.workload, read);
  if (!workload) return complain(workload.error());
  const auto findings = verify_jobs(*workload, shape, options.penalty, options.failures, options.jobs_out);
  if (!findings) return complain(findings.error());
  for (const std::string& finding : *findings) std::cout << options.jobs_out << ": " << finding << "\n";
  Findings more;
  if (findings->empty() && !(options.events.empty() && options.report.empty())) {
    const auto machines = shape.nodes > 0 ? shape.make_nodes() : std::vector<Node>{};
    const auto done = verify_run(*workload, machines, options.penalty,
                                 {options.jobs_out, options.events, options.report}, more);
    if (!done) return complain(done.error());
    for (const std::string& finding : more.all()) std::cout << finding << "\n";
  }
  if (const std::size_t count = findings->size() + more.all().size(); count > 0) {
    std::cout << count << (count == 1 ? " finding\n" : " findings\n");
    return 1;
  }
  std::cout << workload->jobs.size() << " jobs, every column as it should be"
            << (options.events.empty() ? "" : ", every event")
            << (options.report.empty() ? "" : ", every figure") << "\n";
  return 0;
}

}  // namespace aliquot
