#include <algorithm>
#include <array>
#include <utility>

#include "tools/sim/large_pages.hpp"
#include "tools/sim/workload/early_jobs.hpp"
#include "tools/sim/workload/job_lines.hpp"
#include "tools/sim/workload/limits.hpp"
#include "tools/sim/workload/readers.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kFields = 18;
// Room for so many is asked for at once: what is not used costs no memory, and what is used is never moved.
constexpr std::size_t kUsualJobs = std::size_t{1} << 18;
using Record = std::array<Decimal, kFields + 1>;  // by the number that the format gives: 1 is the job

// Fields by the numbers of the format.
enum Field : std::size_t {
  job_number = 1,
  submit,
  run_time = 4,
  allocated,
  used_memory = 7,
  requested,
  requested_time,
  requested_memory,
  user = 12
};

// By hand: this is where reading a long trace spends its time.
Result<Record> split(std::string_view line) {
  constexpr std::size_t most = 14;  // digits after the first
  Record record;
  std::size_t field = 0;
  const auto blank = [line](std::size_t at) { return line[at] == ' ' || line[at] == '\t'; };
  for (std::size_t at = 0;;) {
    while (at < line.size() && blank(at)) ++at;
    if (at == line.size()) break;
    if (++field > kFields) break;
    // Nearly all are a few digits, or -1.
    const bool negative = line[at] == '-';
    const std::size_t first = at + (negative ? 1 : 0);
    std::size_t end = first;
    std::int64_t whole = 0;
    for (; end < line.size(); ++end) {
      const auto digit = static_cast<unsigned char>(line[end] - '0');
      if (digit > 9 || end - first > most) break;
      whole = whole * 10 + digit;
    }
    if (end > first && (end == line.size() || blank(end))) {
      record[field].pico = (negative ? -whole : whole) * kPico;
      at = end;
      continue;
    }
    while (end < line.size() && !blank(end)) ++end;
    const auto value = parse_decimal(line.substr(at, end - at));
    if (!value) {
      return fail(value.error().kind, "field " + std::to_string(field) + ": " + value.error().message);
    }
    record[field] = *value;
    at = end;
  }
  if (field == kFields) return record;
  return fail(ErrorKind::invalid_argument, field > kFields
                                               ? "more than 18 fields: not a line of SWF"
                                               : std::to_string(field) + " fields, a line of SWF has 18");
}

// The first rule that a line breaks; empty: none.
std::string broken_rule(const Record& record) {
  if (record[job_number].pico < 0 || !is_whole(record[job_number]) ||
      record[job_number].pico > static_cast<Int128>(kLargestJobId) * kPico) {
    return "field 1 (job) is '" + to_text(record[job_number]) + "', not a whole number from 0";
  }
  if (record[submit].pico < 0) return "field 2 (submit) is negative";
  if (record[submit] > kLatestSubmit) return "field 2 (submit) is too large";
  if (record[run_time] > kLongestRuntime) return "field 4 (run time) is too large";
  if (!is_whole(record[allocated])) return "field 5 (processors) is not a whole number";
  if (!is_whole(record[requested])) return "field 8 (requested processors) is not a whole number";
  return {};
}

// The tasks of `--swf procs`: each processor is one, and takes a whole node.
void as_processors(TraceJob& job, std::uint32_t processors) {
  job.tasks = processors;
  job.cpu_need = Decimal{kPico};
  job.memory = Decimal{kPico};
}

// The tasks of `--swf dfrs`: how the paper reads HPC2N, whose nodes have two cores and 2 GB
// (DFRS, IV-C). At exactly half a node's memory the text is silent: one task a processor.
void as_dfrs_tasks(TraceJob& job, std::uint32_t processors, const Record& record) {
  constexpr std::int64_t node_kilobytes = 2 * 1024 * 1024;
  constexpr Decimal least{kPico / 10};
  constexpr Decimal half{kPico / 2};
  const Decimal kilobytes = std::max(record[used_memory], record[requested_memory]);
  const Decimal fraction{(kilobytes.pico + node_kilobytes - 1) / node_kilobytes};
  const Decimal per_processor = kilobytes.pico <= 0 ? least : std::max(least, fraction);
  const bool threaded = processors % 2 == 0 && per_processor < half;
  job.tasks = threaded ? processors / 2 : processors;
  job.cpu_need = threaded ? Decimal{kPico} : half;
  job.memory = threaded ? Decimal{per_processor.pico * 2} : per_processor;
}

// None: to be skipped.
std::optional<WorkloadJob> read_job(const Record& record, const ReadOptions& options) {
  const Decimal width = record[allocated].pico > 0 ? record[allocated] : record[requested];
  if (record[run_time].pico <= 0 || width.pico <= 0) return std::nullopt;
  if (width.pico > static_cast<Int128>(kMostTasks) * kPico) return std::nullopt;
  const auto processors = static_cast<std::uint32_t>(whole_part(width));
  TraceJob job;
  job.id.raw = static_cast<std::uint64_t>(whole_part(record[job_number]));
  job.submitted.raw = to_duration(record[submit]).raw;
  if (options.swf == ReadOptions::Swf::procs) {
    as_processors(job, processors);
  } else {
    as_dfrs_tasks(job, processors, record);
  }
  job.runtime = to_duration(record[run_time]);
  if (record[requested_time].pico > 0 && !options.perfect_estimates) {
    job.estimate = to_duration(std::min(record[requested_time], kLatestSubmit));
  }
  if (record[user] > Decimal{})
    job.user = static_cast<std::uint32_t>(std::min<std::int64_t>(whole_part(record[user]), UINT32_MAX));
  if (job.memory > Decimal{kPico}) return std::nullopt;
  WorkloadJob made = make_job(job, options);
  if (!options.admits(made.submission.demand)) return std::nullopt;
  return made;
}

// What is written again though it is not simulated. Is there more in the line that is lost? How it ended
// (field 11) is not asked.
bool take_words(const Record& record, JobId job, const ReadOptions& options, ExtraColumns& words) {
  if (record[user].pico >= 0) words.add(job, "user", to_text(record[user]));
  constexpr std::array<std::size_t, 8> unread{3, 6, 13, 14, 15, 16, 17, 18};
  const auto known = [&record](std::size_t field) { return record[field].pico >= 0; };
  const bool memory =
      options.swf == ReadOptions::Swf::procs && (known(used_memory) || known(requested_memory));
  return memory || std::ranges::any_of(unread, known);
}

// Where reading fails the jobs go, and whoever looks at them has to be gone before.
class Published {
 public:
  explicit Published(EarlyJobs*& early) : early_(early) {}
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;
  ~Published() {
    if (!stay_) withdraw();
  }
  void stay() { stay_ = true; }
  void withdraw() {
    if (early_) std::exchange(early_, nullptr)->withdraw();
  }
  void publish(const std::vector<WorkloadJob>& jobs) {
    if (early_) early_->publish(jobs);
  }

 private:
  EarlyJobs*& early_;
  bool stay_ = false;
};

// Adds it, and publishes what there is from time to time.
void add_job(std::vector<WorkloadJob>& jobs, const WorkloadJob& job, Published& published) {
  constexpr std::size_t at_once = 256;
  const auto order = [](const WorkloadJob& j) { return std::pair(j.submitted, j.id); };
  const bool late = !jobs.empty() && order(job) <= order(jobs.back());
  const bool moves = jobs.size() == jobs.capacity();
  if (late || moves) published.withdraw();
  jobs.push_back(job);
  if (jobs.size() % at_once == 0) published.publish(jobs);
}

}  // namespace

Result<Workload> read_swf(TextSource& source, const std::string& path, const std::string& first,
                          const ReadOptions& options, EarlyJobs*& early) {
  Workload workload;
  Published published(early);
  InputErrors errors(path);
  JobLines lines;
  reserve_large(workload.jobs, kUsualJobs);
  std::uint64_t more = 0;  // jobs that say more than is read
  std::optional<std::string_view> line = first;
  while (line) {
    const std::size_t begin = line->find_first_not_of(" \t");
    if (begin != std::string_view::npos && (*line)[begin] != ';') {
      const auto record = split(*line);
      const std::string broken = record ? broken_rule(*record) : record.error().message;
      if (!broken.empty()) {
        errors.add(source.line(), broken);
      } else {
        lines.note({static_cast<std::uint64_t>(whole_part((*record)[job_number]))}, source.line());
        if (auto job = read_job(*record, options)) {
          if (options.as_written) more += take_words(*record, job->id, options, workload.extra_columns);
          add_job(workload.jobs, *job, published);
        } else {
          ++workload.skipped;
        }
        if (lines.size() > kMostJobs) {
          return fail(ErrorKind::too_large, path + ": more than " + std::to_string(kMostJobs) + " jobs");
        }
      }
    }
    const auto next = source.next();
    if (!next) return tl::unexpected(next.error());
    line = *next;
  }
  lines.report_duplicates(errors);
  if (errors.any()) return errors.failure();
  if (more > 0) {
    workload.notes.push_back(
        std::to_string(more) +
        " jobs say more in SWF than is read here: of the 18 fields 1, 2, 4, 5, 8, 9 and 12" +
        (options.swf == ReadOptions::Swf::dfrs ? " (and for memory 7 and 10)" : ""));
  }
  published.stay();
  return workload;
}

}  // namespace aliquot
