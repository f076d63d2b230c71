#include "tools/sim/workload.hpp"

#include <algorithm>

#include "tools/sim/workload/batsim_reader.hpp"
#include "tools/sim/workload/csv_reader.hpp"
#include "tools/sim/workload/swf_reader.hpp"
#include "tools/sim/workload/weeks.hpp"

namespace aliquot {

WorkloadJob make_job(const TraceJob& record, const ClusterShape& shape) {
  WorkloadJob job;
  job.id = record.id;
  job.submitted = record.submitted;
  job.cpu_need = SmallDecimal(record.cpu_need);
  job.memory = SmallDecimal(record.memory);
  const Duration runtime = std::max(record.runtime, Duration{1});
  TraceSubmission& submission = job.submission;
  submission.demand.tasks = record.tasks;
  submission.demand.need = std::max(cpu_of(record.cpu_need, shape.capacity()), Cpu{1});
  submission.demand.memory = memory_of(record.memory, shape.node_memory);
  submission.demand.estimate = std::max(runtime, record.estimate.value_or(runtime));
  submission.alone = runtime;
  return job;
}

WorkloadJob make_job(const TraceJob& record, const ReadOptions& options) {
  WorkloadJob job = make_job(record, options.shape);
  if (!options.as_written) return job;
  job.submission.demand.estimate.reset();
  if (record.estimate) job.submission.demand.estimate = std::max(*record.estimate, Duration{1});
  return job;
}

Submission Workload::submission(const WorkloadJob& job) const {
  Submission made;
  made.demand = job.submission.demand;
  made.program = ModelWork{job.submission.alone, job.submission.exit_code};
  made.guest_memory = made.demand.memory;
  made.account = accounts[job.submission.account];
  made.time_limit = job.submission.time_limit;
  return made;
}

namespace {

Result<Workload> read_lines(TextSource& source, const std::string& path, const ReadOptions& options) {
  std::string first;
  while (first.find_first_not_of(" \t") == std::string::npos) {
    const auto line = source.next();
    if (!line) return tl::unexpected(line.error());
    if (!*line) return fail(ErrorKind::invalid_argument, path + ": the file is empty");
    first = **line;
    if (first.starts_with("\xEF\xBB\xBF")) first.erase(0, 3);  // the byte order mark of some editors
  }
  // A CSV header has a comma or letters; SWF begins with a comment or a number.
  const bool swf = first.find_first_not_of("0123456789-+. \t") == std::string::npos ||
                   first[first.find_first_not_of(" \t")] == ';';
  return swf ? read_swf(source, path, first, options) : read_csv(source, path, first, options);
}

}  // namespace

Result<Workload> read_workload(const std::string& path, const ReadOptions& options) {
  auto source = TextSource::open(path);
  if (!source) return tl::unexpected(source.error());
  const auto begin = source->first_character();
  if (!begin) return tl::unexpected(begin.error());
  auto workload = *begin == '{' ? read_batsim(*source, path, options) : read_lines(*source, path, options);
  if (!workload) return workload;
  if (workload->jobs.empty()) {
    const std::string why =
        workload->skipped == 0 ? "" : " (" + std::to_string(workload->skipped) + " skipped)";
    return fail(ErrorKind::invalid_argument, path + ": no job to simulate" + why);
  }
  const auto order = [](const WorkloadJob& job) { return std::pair(job.submitted, job.id); };
  if (!std::ranges::is_sorted(workload->jobs, {}, order)) std::ranges::sort(workload->jobs, {}, order);
  workload->sha256 = source->sha256();
  if (!options.week) return workload;
  auto part = week(*workload, *options.week);
  if (!part) return fail(part.error().kind, path + ": " + part.error().message);
  return part;
}

}  // namespace aliquot
