#include "tools/sim/convert/formats.hpp"

#include <algorithm>

#include "tools/sim/workload/writers.hpp"

namespace aliquot {
namespace {

// Collects remarks, each with the number of jobs that it applies to.
class Remarks {
 public:
  explicit Remarks(const Workload& workload) : workload_(workload) {}

  template <class Test>
  void jobs(const Test& test, const std::string& what) {
    const auto count = std::ranges::count_if(workload_.jobs, test);
    if (count > 0) said_.push_back(what + ": " + jobs_text(static_cast<std::uint64_t>(count)));
  }
  template <class Test>
  void words(const std::string& column, const Test& test, const std::string& what) {
    jobs(
        [&](const WorkloadJob& job) {
          const std::string& word = workload_.extra_columns.of(job.id, column);
          return !word.empty() && test(word);
        },
        what);
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(said_); }

 private:
  static std::string jobs_text(std::uint64_t count) {
    return std::to_string(count) + (count == 1 ? " job" : " jobs");
  }
  const Workload& workload_;
  std::vector<std::string> said_;
};

bool any_word(const std::string&) { return true; }

void remark_csv(Remarks& remarks) {
  remarks.words("id", any_word, "CSV cannot say their names (they are numbered)");
  remarks.jobs([](const WorkloadJob& job) { return job.submission.exit_code != 0; },
               "CSV cannot say their exit codes");
}

void remark_swf(const Workload& workload, Remarks& remarks) {
  remarks.jobs([](const WorkloadJob& job) { return job.cpu_need.pico != kPico; },
               "SWF cannot say their CPU needs (a processor is a node's whole CPU)");
  remarks.jobs([](const WorkloadJob& job) { return job.memory.pico != kPico; },
               "SWF cannot say their memory (a processor has a node's whole memory)");
  remarks.jobs([](const WorkloadJob& job) { return job.submission.account != 0; },
               "SWF cannot say their accounts");
  remarks.jobs([](const WorkloadJob& job) { return job.submission.exit_code != 0; },
               "SWF says that they fail, and cannot say their exit codes");
  for (const auto& [column, words] : workload.extra_columns.columns()) {
    if (column == "id") {
      remarks.words(column, any_word, "SWF cannot say their names (they are numbered)");
    } else if (column == "user") {
      remarks.words(
          column, [](const std::string& word) { return !is_swf_number(word); },
          "SWF cannot say their users, who are no numbers");
    } else {
      remarks.words(column, any_word, "SWF cannot say their " + column);
    }
  }
  remarks.jobs(
      [](const WorkloadJob& job) {
        return job.submitted.raw % kMillion != 0 || job.runtime().raw % kMillion != 0 ||
               job.submission.demand.estimate.value_or(Duration{}).raw % kMillion != 0;
      },
      "their times are no whole seconds: written with decimals, which not every reader of SWF takes");
}

}  // namespace

Result<WorkloadFormat> format_called(const std::string& name) {
  if (name == "csv") return WorkloadFormat::csv;
  if (name == "swf") return WorkloadFormat::swf;
  if (name == "batsim") return WorkloadFormat::batsim;
  return fail(ErrorKind::invalid_argument, "'" + name + "' is no format: csv, swf or batsim");
}

Result<WorkloadFormat> format_of(const std::string& path) {
  const std::string plain = path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path;
  if (plain.ends_with(".csv")) return WorkloadFormat::csv;
  if (plain.ends_with(".swf")) return WorkloadFormat::swf;
  if (plain.ends_with(".json")) return WorkloadFormat::batsim;
  return fail(ErrorKind::invalid_argument,
              path + ": its end names no format: .csv, .swf or .json (.gz if wanted), or say --to");
}

std::string write_workload(const Workload& workload, WorkloadFormat format, std::uint32_t nodes) {
  if (format == WorkloadFormat::swf) return workload_swf(workload, nodes);
  if (format == WorkloadFormat::batsim) return workload_batsim(workload, nodes);
  return workload_csv(workload, true);
}

std::vector<std::string> remarks(const Workload& workload, WorkloadFormat format) {
  Remarks remarks(workload);
  if (format == WorkloadFormat::csv) remark_csv(remarks);
  if (format == WorkloadFormat::swf) remark_swf(workload, remarks);
  std::vector<std::string> said = remarks.take();
  if (format != WorkloadFormat::batsim) return said;
  if (const std::uint64_t count = count_batsim_extras(workload); count > 0) {
    said.push_back("what Batsim has no word for stands in extra_data, which it does not look at: " +
                   std::to_string(count) + (count == 1 ? " job" : " jobs"));
  }
  return said;
}

}  // namespace aliquot
