#include "tools/sim/verify/run_verifier.hpp"

#include "tools/sim/verify/report_verifier.hpp"

namespace aliquot {
namespace {

Decimal seconds_of(Instant instant) { return {Int128{instant.raw} * (kPico / kMillion)}; }

// What the events say of each job against its row.
void compare(const EventsReading& events, const std::vector<JobsTableRow>& rows, Findings& findings) {
  for (const JobsTableRow& row : rows) {
    const auto found = events.jobs.find(row.job);
    if (found == events.jobs.end()) continue;  // said already: the workload has no such job
    const JobHistory& job = found->second;
    const auto expect = [&](bool equal, const std::string& what) {
      if (!equal)
        findings.add("job " + std::to_string(row.job.raw) + ": " + what + " is not that of its row");
    };
    expect(job.started && seconds_of(*job.started) == row.start, "the start");
    expect(job.ended && seconds_of(*job.ended) == row.end, "the end");
    expect(Decimal{job.virtual_time.raw} == row.virtual_time, "the virtual time");
    expect(job.preemptions == row.preemptions, "the number of preemptions");
    expect(job.migrations == row.migrations, "the number of migrations");
  }
}

void hand_on(const Findings& from, const std::string& file, Findings& to) {
  for (const std::string& finding : from.all()) to.add(file + ": " + finding);
}

}  // namespace

Result<void> verify_run(const Workload& workload, const std::vector<Node>& nodes, Duration penalty,
                        const RunFiles& files, Findings& findings) {
  const auto jobs = read_jobs_table(files.jobs);
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

}  // namespace aliquot
