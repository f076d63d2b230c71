#include "tools/sim/workload/swf_reader.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "tools/sim/workload/complaints.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kFields = 18;
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
  requested_memory
};

Result<Record> split(std::string_view line) {
  Record record;
  std::size_t field = 0;
  for (std::size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos;
       at = line.find_first_not_of(" \t", at)) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    const auto value = parse_decimal(line.substr(at, end - at));
    if (++field > kFields) break;
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
  const auto whole = [](Decimal d) { return d.pico % kPico == 0; };
  if (record[job_number].pico < 0 || !whole(record[job_number]) ||
      record[job_number].pico > static_cast<Int128>(kLargestJobId) * kPico) {
    return "field 1 (job) is '" + to_text(record[job_number]) + "', not a whole number from 0";
  }
  if (record[submit].pico < 0) return "field 2 (submit) is negative";
  if (record[submit] > kLatestSubmit) return "field 2 (submit) is too large";
  if (record[run_time] > kLongestRuntime) return "field 4 (run time) is too large";
  if (!whole(record[allocated])) return "field 5 (processors) is not a whole number";
  if (!whole(record[requested])) return "field 8 (requested processors) is not a whole number";
  return {};
}

// The tasks of `--swf procs`: each processor is one, and takes a whole node.
void as_processors(WorkloadJob& job, std::uint32_t processors) {
  job.submission.demand.tasks = processors;
  job.cpu_need = Decimal{kPico};
  job.memory = Decimal{kPico};
}

// The tasks of `--swf dfrs`: how the paper reads HPC2N, whose nodes have two cores and 2 GB
// (DFRS, IV-C). At exactly half a node's memory the text is silent: one task a processor.
void as_dfrs_tasks(WorkloadJob& job, std::uint32_t processors, const Record& record) {
  constexpr std::int64_t node_kilobytes = 2 * 1024 * 1024;
  constexpr Decimal least{kPico / 10};
  constexpr Decimal half{kPico / 2};
  const Decimal kilobytes = std::max(record[used_memory], record[requested_memory]);
  const Decimal fraction{(kilobytes.pico + node_kilobytes - 1) / node_kilobytes};
  const Decimal per_processor = kilobytes.pico <= 0 ? least : std::max(least, fraction);
  const bool threaded = processors % 2 == 0 && per_processor < half;
  job.submission.demand.tasks = threaded ? processors / 2 : processors;
  job.cpu_need = threaded ? Decimal{kPico} : half;
  job.memory = threaded ? Decimal{per_processor.pico * 2} : per_processor;
}

// None: to be skipped.
std::optional<WorkloadJob> read_job(const Record& record, const ReadOptions& options) {
  const Decimal width = record[allocated].pico > 0 ? record[allocated] : record[requested];
  if (record[run_time].pico <= 0 || width.pico <= 0) return std::nullopt;
  if (width.pico > static_cast<Int128>(kMostTasks) * kPico) return std::nullopt;
  const auto processors = static_cast<std::uint32_t>(width.pico / kPico);
  WorkloadJob job;
  job.id.raw = static_cast<std::uint64_t>(record[job_number].pico / kPico);
  job.submitted.raw = to_duration(record[submit]).raw;
  if (options.swf == ReadOptions::Swf::procs) {
    as_processors(job, processors);
  } else {
    as_dfrs_tasks(job, processors, record);
  }
  Submission& submission = job.submission;
  const Duration runtime = std::max(to_duration(record[run_time]), Duration{1});
  const bool estimated = record[requested_time].pico > 0 && !options.perfect_estimates;
  const Decimal estimate = std::min(record[requested_time], kLatestSubmit);
  submission.program = ModelWork{runtime, 0};
  submission.demand.estimate = estimated ? std::max(to_duration(estimate), runtime) : runtime;
  if (job.memory > Decimal{kPico}) return std::nullopt;
  submission.demand.need = cpu_of(job.cpu_need, options.shape.capacity());
  submission.demand.memory = memory_of(job.memory, options.shape.node_memory);
  submission.guest_memory = submission.demand.memory;
  if (!options.shape.holds(submission.demand)) return std::nullopt;
  return job;
}

}  // namespace

Result<Workload> read_swf(TextSource& source, const std::string& path, const std::string& first,
                          const ReadOptions& options) {
  Workload workload;
  Complaints complaints(path);
  std::unordered_map<std::uint64_t, std::uint64_t> line_of;
  std::optional<std::string_view> line = first;
  while (line) {
    const std::size_t begin = line->find_first_not_of(" \t");
    if (begin != std::string_view::npos && (*line)[begin] != ';') {
      const auto record = split(*line);
      const std::string broken = record ? broken_rule(*record) : record.error().message;
      if (!broken.empty()) {
        complaints.add(source.line(), broken);
      } else {
        const auto number = static_cast<std::uint64_t>((*record)[job_number].pico / kPico);
        const auto [earlier, fresh] = line_of.emplace(number, source.line());
        auto job = read_job(*record, options);
        if (!fresh) {
          complaints.add(source.line(), "job " + std::to_string(number) + " stands already in line " +
                                            std::to_string(earlier->second));
        } else if (job) {
          workload.jobs.push_back(std::move(*job));
        } else {
          ++workload.skipped;
        }
        if (line_of.size() > kMostJobs) {
          return fail(ErrorKind::too_large, path + ": more than " + std::to_string(kMostJobs) + " jobs");
        }
      }
    }
    const auto next = source.next();
    if (!next) return tl::unexpected(next.error());
    line = *next;
  }
  if (complaints.any()) return complaints.failure();
  return workload;
}

}  // namespace aliquot
