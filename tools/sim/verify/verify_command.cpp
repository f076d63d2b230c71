#include <algorithm>
#include <iostream>

#include "tools/sim/commands.hpp"
#include "tools/sim/verify/jobs_verifier.hpp"
#include "tools/sim/verify/report_verifier.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

Decimal seconds_of(Instant instant) { return {Int128{instant.raw} * (kPico / kMillion)}; }

// Compares each job of the events with its row.
void compare(const EventsReading& events, const std::vector<JobsTableRow>& rows, Findings& findings) {
  const bool evolves = std::ranges::any_of(events.jobs, [](const auto& job) { return job.second.profile; });
  for (const JobsTableRow& row : rows) {
    const auto found = events.jobs.find(row.job);
    if (found == events.jobs.end()) continue;  // already a finding: the workload has no such job
    const JobHistory& job = found->second;
    const auto expect = [&](bool equal, const std::string& what) {
      if (!equal)
        findings.add("job " + std::to_string(row.job.raw) + ": " + what + " is not that of its row");
    };
    expect(job.started && seconds_of(*job.started) == row.start, "the start");
    expect(job.ended && seconds_of(*job.ended) == row.end, "the end");
    expect(Decimal{job.virtual_time.raw} == row.virtual_time, "the virtual time");
    expect(job.preemptions == row.preemptions, "the number of preemptions");
    expect(evolves || job.migrations == row.migrations, "the number of migrations");
  }
}

void hand_on(const Findings& from, const std::string& file, Findings& to) {
  for (const std::string& finding : from.all()) to.add(file + ": " + finding);
}

// Verifies the events against the workload and the rows of the jobs, and the report against all of them.
// The
// --jobs-out file has been verified before. `nodes` empty: capacities are not known, and not checked.
Result<void> verify_run(const Workload& workload, const std::vector<Node>& nodes, Duration penalty,
                        const VerifyOptions& files, Findings& findings) {
  const auto jobs = read_jobs_table(files.jobs_out);
  if (!jobs) return tl::unexpected(jobs.error());
  std::optional<EventsReading> events;
  if (!files.events.empty()) {
    Findings found;
    auto reading = verify_events(workload, nodes, penalty, files.events, found);
    if (!reading) return tl::unexpected(reading.error());
    compare(*reading, *jobs, found);
    hand_on(found, files.events, findings);
    events = std::move(*reading);
  }
  if (files.report.empty()) return {};
  Findings found;
  auto done = verify_report(workload, nodes, *jobs, events, files.report, found);
  hand_on(found, files.report, findings);
  return done;
}

}  // namespace

int verify_command(const VerifyOptions& options) {
  // If the number of nodes is not given, no job is too wide, and the laws of the whole cluster are not
  // checked.
  const ClusterShape& shape = options.read.shape;
  ReadOptions read = options.read;
  if (shape.nodes == 0) read.shape.nodes = kMostNodes;
  const auto workload = read_workload(options.workload, read);
  if (!workload) return report_error(workload.error());
  if (auto declared = check_declared_needs(*workload, "verify"); !declared)
    return report_error(declared.error());
  const auto findings = verify_jobs(*workload, shape, options.penalty, options.failures, options.jobs_out);
  if (!findings) return report_error(findings.error());
  for (const std::string& finding : *findings) std::cout << options.jobs_out << ": " << finding << "\n";
  Findings more;
  if (findings->empty() && !(options.events.empty() && options.report.empty())) {
    const auto nodes = shape.nodes > 0 ? shape.make_nodes() : std::vector<Node>{};
    const auto done = verify_run(*workload, nodes, options.penalty, options, more);
    if (!done) return report_error(done.error());
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
