#include "tools/sim/workload.hpp"

#include <algorithm>
#include <utility>

#include "tools/sim/workload/early_jobs.hpp"
#include "tools/sim/workload/readers.hpp"
#include "tools/sim/workload/weeks.hpp"

namespace aliquot {

namespace {

// Only SWF, the format of the longest traces, publishes jobs before the whole file is read.
void withdraw(EarlyJobs*& early) {
  if (early) std::exchange(early, nullptr)->withdraw();
}

Result<Workload> read_lines(TextSource& source, const std::string& path, const ReadOptions& options,
                            EarlyJobs*& early) {
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
  if (swf) return read_swf(source, path, first, options, early);
  withdraw(early);
  return read_csv(source, path, first, options);
}

Result<Workload> read_all(const std::string& path, const ReadOptions& options, EarlyJobs*& early) {
  auto source = TextSource::open(path);
  if (!source) return tl::unexpected(source.error());
  const auto begin = source->first_character();
  if (!begin) return tl::unexpected(begin.error());
  if (*begin == '{' || options.week) withdraw(early);
  auto workload =
      *begin == '{' ? read_batsim(*source, path, options) : read_lines(*source, path, options, early);
  if (!workload) return workload;
  if (workload->jobs.empty()) {
    const std::string why =
        workload->skipped == 0 ? "" : " (" + std::to_string(workload->skipped) + " skipped)";
    return fail(ErrorKind::invalid_argument, path + ": no job to simulate" + why);
  }
  const auto order = [](const WorkloadJob& job) { return std::pair(job.submitted, job.id); };
  // Published jobs that were not withdrawn are in order.
  if (!early && !std::ranges::is_sorted(workload->jobs, {}, order))
    std::ranges::sort(workload->jobs, {}, order);
  workload->sha256 = source->sha256();
  if (!options.week) return workload;
  auto part = week(*workload, *options.week);
  if (!part) return fail(part.error().kind, path + ": " + part.error().message);
  return part;
}

}  // namespace

Result<Workload> read_workload(const std::string& path, const ReadOptions& options, EarlyJobs* early) {
  // On every way out, an exception included: otherwise the simulation would wait for ever.
  struct Withdrawal {
    EarlyJobs*& early;
    ~Withdrawal() { withdraw(early); }
  } const unless_finished{early};
  auto workload = read_all(path, options, early);
  if (workload && early) std::exchange(early, nullptr)->finish(workload->jobs);
  return workload;
}

}  // namespace aliquot
