#include "tools/fuzz/targets.hpp"

#include <algorithm>
#include <fstream>

#include "tools/sim/cluster_file.hpp"
#include "tools/sim/convert/formats.hpp"
#include "tools/sim/view_json.hpp"

namespace aliquot::fuzz {
namespace {

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

std::string check_refusal(const Error& error) {
  if (error.message.empty()) return "an error without a message";
  if (error.kind == ErrorKind::internal) return "an internal error: " + error.message;
  return {};
}

// Of what both formats say. SWF has neither needs, memory nor accounts.
std::string difference(const Workload& a, const Workload& b, WorkloadFormat format) {
  if (a.jobs.size() != b.jobs.size()) return "the number of jobs";
  for (std::size_t i = 0; i < a.jobs.size(); ++i) {
    const WorkloadJob& left = a.jobs[i];
    const WorkloadJob& right = b.jobs[i];
    const Demand& said = left.submission.demand;
    const Demand& read = right.submission.demand;
    if (left.submitted != right.submitted || left.runtime() != right.runtime()) return "a time";
    if (said.tasks != read.tasks || said.estimate != read.estimate) return "tasks or estimate";
    const bool named = !a.extra_columns.of(left.id, "id").empty();
    if (left.id != right.id && !named) return "a job's number";
    if (format == WorkloadFormat::swf) continue;
    if (left.cpu_need != right.cpu_need || left.memory != right.memory) return "need or memory";
    if (a.accounts[left.submission.account] != b.accounts[right.submission.account]) return "an account";
    if (a.extra_columns.of(left.id, "user") != b.extra_columns.of(right.id, "user") && !named)
      return "a user";
  }
  return {};
}

// Written in every format and read again: what both can say is the same.
std::string go_around(const Workload& workload, ReadOptions options, const std::string& scratch) {
  for (const auto format : {WorkloadFormat::csv, WorkloadFormat::swf, WorkloadFormat::batsim}) {
    (void)remarks(workload, format);
    write_file(scratch, write_workload(workload, format, 0));
    options.swf = ReadOptions::Swf::procs;
    const auto again = read_workload(scratch, options);
    const std::string name = "after format " + std::to_string(static_cast<int>(format)) + ": ";
    if (!again) return name + again.error().message;
    if (std::string what = difference(workload, *again, format); !what.empty()) return name + what;
  }
  return {};
}

std::string try_workload(const std::string& input, const std::string& scratch) {
  write_file(scratch, input);
  for (const auto swf : {ReadOptions::Swf::procs, ReadOptions::Swf::dfrs}) {
    ReadOptions options;
    options.swf = swf;
    options.shape.nodes = 128;
    const auto workload = read_workload(scratch, options);
    if (!workload) {
      if (std::string wrong = check_refusal(workload.error()); !wrong.empty()) return wrong;
      continue;
    }
    for (const WorkloadJob& job : workload->jobs) {
      if (!options.shape.holds(job.submission.demand)) return "a job that does not fit";
      if (job.runtime().raw <= 0 || job.submitted.raw < 0) return "a job without a time";
    }
  }
  ReadOptions options;
  options.as_written = true;
  const auto workload = read_workload(scratch, options);
  if (!workload) return check_refusal(workload.error());
  // JSON holds UTF-8 only: other bytes of a name do not come back.
  const bool ascii = std::ranges::all_of(input, [](char c) { return static_cast<signed char>(c) >= 0; });
  return ascii ? go_around(*workload, options, scratch) : std::string();
}

std::string try_cluster(const std::string& input) {
  const auto shape = parse_cluster(input, "cluster.yaml");
  if (!shape) return check_refusal(shape.error());
  return shape->nodes == 0 || shape->total_capacity().raw <= 0 ? "a cluster without CPU" : "";
}

std::string try_view(const std::string& input) {
  const auto view = parse_view(input);
  if (!view) return check_refusal(view.error());
  const std::string text = view_json(*view);
  const auto again = parse_view(text);
  if (!again) return "its own view is refused: " + again.error().message;
  return view_json(*again) == text ? "" : "its own view reads back as another";
}

}  // namespace

const char* const kProgram = "fuzz-readers";

std::vector<Seed> made_seeds() { return {}; }

std::string try_input(const std::string& kind, const std::string& input, const std::string& scratch) {
  if (kind == "cluster") return try_cluster(input);
  if (kind == "view") return try_view(input);
  return try_workload(input, scratch);
}

}  // namespace aliquot::fuzz
