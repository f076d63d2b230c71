#include "tools/sim/verify/jobs_verifier.hpp"

#include <algorithm>
#include <map>

#include "policies/model/device_models.hpp"
#include "tools/sim/workload/csv_line.hpp"
#include "tools/sim/workload/text_source.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kFindings = 100;
// The columns in the order of the file, repeated here on purpose: nothing is shared with the writer.
constexpr const char* kNames[] = {"job",          "submit",      "start",     "end",
                                  "tasks",        "cpu_need",    "memory",    "runtime",
                                  "wait",         "turnaround",  "stretch",   "bounded_stretch",
                                  "virtual_time", "preemptions", "migrations"};
enum Column : std::size_t {
  job,
  submit,
  start,
  end,
  tasks,
  cpu_need,
  memory,
  runtime,
  wait,
  turnaround,
  stretch,
  bounded_stretch,
  virtual_time,
  preemptions,
  migrations,
  columns
};
// If some job of the workload asks for devices; empty for a job that does not.
constexpr const char* kDeviceNames[] = {"gpus", "gpu_model", "gpu_parts"};
constexpr std::size_t kDeviceColumnCount = 3;

struct Row {
  std::array<Decimal, columns> values;
  std::array<std::string, kDeviceColumnCount> devices;

  const Decimal& operator[](std::size_t column) const { return values[column]; }
};

constexpr Int128 kMicro = kPico / 1'000'000;

Decimal times(Decimal value, std::int64_t n) { return {value.pico * n}; }

class Verifier {
 public:
  Verifier(const Workload& workload, const ClusterShape& shape, Duration penalty, bool failures)
      : shape_(shape), penalty_{Int128{penalty.raw} * kMicro}, failures_(failures) {
    for (const WorkloadJob& j : workload.jobs) asked_.emplace(j.id.raw, &j);
    for (const auto& [id, steps] : workload.profiles)
      least_later_[id.raw] = std::ranges::min_element(steps, {}, &LaterStep::tasks)->tasks;
    models_ = workload.device_models;
  }

  void check(std::uint64_t line, const Row& row) {
    where_ = "line " + std::to_string(line) + ": ";
    const auto id = static_cast<std::uint64_t>(row[job].pico / kPico);
    const auto asked = asked_.find(id);
    if (row[job].pico % kPico != 0 || asked == asked_.end()) return find("the workload has no such job");
    if (!seen_.emplace(id, line).second)
      return find("the job stands already in line " + std::to_string(seen_[id]));
    check_request(row, *asked->second);
    check_course(row);
    check_formulas(row);
    rows_.push_back(row);
  }

  std::vector<std::string> finish() {
    where_.clear();
    for (const auto& [id, asked] : asked_) {
      if (!seen_.contains(id)) find("job " + std::to_string(id) + " of the workload is missing");
    }
    if (shape_.nodes > 0) check_cluster();
    return std::move(findings_);
  }

 private:
  void find(const std::string& what) {
    if (findings_.size() < kFindings) findings_.push_back(where_ + what);
  }
  void expect(Column column, const Row& row, Decimal wanted) {
    if (row[column] == wanted) return;
    find(std::string(kNames[column]) + " is " + to_text(row[column]) + ", should be " + to_text(wanted));
  }
  // Ratios are printed as doubles: equal to a part in 10^9.
  void expect_ratio(Column column, const Row& row, Decimal num, Decimal den, bool at_least_one) {
    long double wanted = static_cast<long double>(num.pico) / static_cast<long double>(den.pico);
    if (at_least_one && wanted < 1) wanted = 1;
    const long double is = static_cast<long double>(row[column].pico) / 1e12L;
    const long double off = is > wanted ? is - wanted : wanted - is;
    if (off > wanted * 1e-9L + 1e-11L) {
      find(std::string(kNames[column]) + " is " + to_text(row[column]) + ", should be " +
           std::to_string(static_cast<double>(wanted)));
    }
  }

  void check_request(const Row& row, const WorkloadJob& asked) {
    expect(submit, row, {Int128{asked.submitted.raw} * kMicro});
    expect(tasks, row, {Int128{asked.submission.demand.tasks} * kPico});
    expect(cpu_need, row, asked.cpu_need);
    expect(memory, row, asked.memory);
    expect(runtime, row, {Int128{asked.runtime().raw} * kMicro});
    check_devices(row, asked.submission.demand.devices);
  }

  void check_devices(const Row& row, const DeviceDemand& asked) {
    std::array<std::string, kDeviceColumnCount> wanted;
    if (asked.any()) {
      wanted[0] = std::to_string(asked.per_node);
      wanted[1] = text_of(asked.models, models_);
      if (asked.parts < kWholeDevice) wanted[2] = std::to_string(asked.parts);
    }
    for (std::size_t c = 0; c < kDeviceColumnCount; ++c) {
      if (row.devices[c] != wanted[c])
        find(std::string(kDeviceNames[c]) + " is \"" + row.devices[c] + "\", should be \"" + wanted[c] +
             '"');
    }
  }

  void check_course(const Row& row) {
    if (row[start] < row[submit]) find("starts before it is submitted");
    for (const Column count : {preemptions, migrations}) {
      if (row[count].pico < 0 || row[count].pico % kPico != 0)
        find(std::string(kNames[count]) + " is no count");
    }
    // The end is rounded up to a microsecond, during which it works at most at full speed.
    const Int128 over = row[virtual_time].pico - row[runtime].pico;
    // A failed job was cut short; if its node died, its progress is known only roughly.
    if (failures_ && (over < 0 || over > kMicro) && row[virtual_time].pico >= 0) return;
    // Each resume costs a penalty, and so does the last move; the penalty of an earlier move may have been
    // cut short by the next.
    const bool restarted = row[preemptions].pico > 0 || row[migrations].pico > 0;
    const Int128 least = row[runtime].pico + (restarted ? penalty_.pico : 0);
    if (row[end].pico - row[start].pico < least) find("ends sooner after its start than its work takes");
    if (over < 0 || over > kMicro) {
      find("virtual_time is " + to_text(row[virtual_time]) + ", should be the run time " +
           to_text(row[runtime]));
    }
  }

  void check_formulas(const Row& row) {
    const Decimal flow{row[end].pico - row[submit].pico};
    const Decimal bound{std::max(row[runtime].pico, 30 * kPico)};
    expect(wait, row, {row[start].pico - row[submit].pico});
    expect(turnaround, row, flow);
    expect_ratio(stretch, row, flow, row[runtime], false);
    expect_ratio(bounded_stretch, row, flow, bound, true);
  }

  // The least tasks that the job has in any of its steps.
  [[nodiscard]] std::int64_t least_tasks(const Row& row) const {
    const auto first = static_cast<std::int64_t>(row[tasks].pico / kPico);
    const auto later = least_later_.find(static_cast<std::uint64_t>(row[job].pico / kPico));
    return later == least_later_.end() ? first : std::min<std::int64_t>(first, later->second);
  }

  // The laws of the whole cluster.
  void check_cluster() {
    std::map<Decimal, Int128> change;  // of the memory held by jobs that were never paused
    Int128 work = 0;                   // node-seconds, in 10^-6
    Decimal first{INT64_MAX * kMicro};
    Decimal last;
    for (const Row& row : rows_) {
      first = std::min(first, row[submit]);
      last = std::max(last, row[end]);
      const std::int64_t width = least_tasks(row);
      work += times(row[cpu_need], width).pico / kMicro * (row[runtime].pico / kMicro);
      if (row[preemptions].pico != 0) continue;
      change[row[start]] += times(row[memory], width).pico;
      change[row[end]] -= times(row[memory], width).pico;
    }
    Int128 held = 0;
    for (const auto& [instant, by] : change) {
      held += by;
      // Fractions were rounded up to bytes; their sum is compared with what there is of reference nodes.
      if (held * shape_.node_memory.raw <= Int128{shape_.total_memory().raw} * kPico) continue;
      find("at " + to_text(instant) + " s the jobs hold the memory of " + to_text(Decimal{held}) +
           " nodes of " + std::to_string(shape_.nodes));
      break;
    }
    const auto nodes = static_cast<long double>(shape_.total_capacity().raw) /
                       static_cast<long double>(shape_.capacity().raw);
    const auto whole_microseconds = (last.pico - first.pico) / kMicro;
    const long double could = static_cast<long double>(whole_microseconds) * nodes * 1e6L;
    if (static_cast<long double>(work) > could * (1 + 1e-12L))
      find("more work was done than the nodes could do in that time");
  }

  ClusterShape shape_;
  Decimal penalty_;
  bool failures_;
  std::vector<std::string> models_;
  std::map<std::uint64_t, const WorkloadJob*> asked_;
  std::map<std::uint64_t, std::uint32_t> least_later_;  // of evolving jobs: tasks in a later step
  std::map<std::uint64_t, std::uint64_t> seen_;         // job to line
  std::vector<Row> rows_;
  std::vector<std::string> findings_;
  std::string where_;
};

Result<Row> read_row(std::string_view line, bool devices) {
  const auto fields = split_csv(line);
  if (!fields) return tl::unexpected(fields.error());
  const std::size_t wanted = columns + (devices ? kDeviceColumnCount : 0);
  if (fields->size() != wanted) {
    return fail(ErrorKind::invalid_argument,
                std::to_string(fields->size()) + " fields instead of " + std::to_string(wanted));
  }
  Row row;
  for (std::size_t i = 0; i < columns; ++i) {
    const auto value = parse_decimal((*fields)[i]);
    if (!value)
      return fail(ErrorKind::invalid_argument, std::string(kNames[i]) + ": " + value.error().message);
    row.values[i] = *value;
  }
  for (std::size_t c = 0; devices && c < kDeviceColumnCount; ++c) row.devices[c] = (*fields)[columns + c];
  return row;
}

}  // namespace

Result<std::vector<std::string>> verify_jobs(const Workload& workload, const ClusterShape& shape,
                                             Duration penalty, bool failures,
                                             const std::string& jobs_path) {
  auto source = TextSource::open(jobs_path);
  if (!source) return tl::unexpected(source.error());
  std::string header;
  for (const char* name : kNames) header.append(header.empty() ? "" : ",").append(name);
  const bool devices = std::any_of(workload.jobs.begin(), workload.jobs.end(), [](const WorkloadJob& job) {
    return job.submission.demand.devices.any();
  });
  if (devices) {
    for (const char* name : kDeviceNames) header.append(",").append(name);
  }
  Verifier verifier(workload, shape, penalty, failures);
  for (;;) {
    const auto line = source->next();
    if (!line) return tl::unexpected(line.error());
    const std::string where = jobs_path + ":" + std::to_string(source->line()) + ": ";
    if (!*line && source->line() == 0)
      return fail(ErrorKind::invalid_argument, jobs_path + ": the file is empty");
    if (!*line) return verifier.finish();
    if (source->line() == 1) {
      if (**line == header) continue;
      return fail(ErrorKind::invalid_argument, where + "the header should be " + header);
    }
    const auto row = read_row(**line, devices);
    if (!row) return fail(row.error().kind, where + row.error().message);
    verifier.check(source->line(), *row);
  }
}

}  // namespace aliquot
