#include "tools/sim/verify/report_verifier.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace aliquot {
namespace {

using Json = nlohmann::json;
using Real = long double;

Real real(Decimal value) { return static_cast<Real>(value.pico) / 1e12L; }
Real real(Int128 value) { return static_cast<Real>(value); }

class ReportVerifier {
 public:
  ReportVerifier(const Workload& workload, const std::vector<Node>& nodes,
                 const std::vector<JobsTableRow>& jobs, const Json& report, Findings& findings)
      : workload_(workload), nodes_(nodes), jobs_(jobs), report_(report), findings_(findings) {
    for (const WorkloadJob& job : workload.jobs) asked_[job.id] = &job;
  }

  void check() {
    expect(report_, "", "jobs", static_cast<Real>(jobs_.size()));
    if (jobs_.empty()) return;
    const auto submit = [](const JobsTableRow& row) { return row.submit; };
    const auto end = [](const JobsTableRow& row) { return row.end; };
    span_ = real(std::ranges::max(jobs_, {}, end).end) - real(std::ranges::min(jobs_, {}, submit).submit);
    expect(report_, "", "makespan", span_);
    expect_stretches(report_, "", "_bounded_stretch", jobs_);
    Real preemptions = 0;
    Real migrations = 0;
    for (const JobsTableRow& row : jobs_) {
      preemptions += static_cast<Real>(row.preemptions);
      migrations += static_cast<Real>(row.migrations);
    }
    expect_counts("preemptions", preemptions);
    expect_counts("migrations", migrations);
    if (!nodes_.empty()) check_work();
    check_classes();
  }

  void check(const EventsReading& events) {
    Real preempted = 0;
    Real migrated = 0;
    for (const auto& [id, job] : events.jobs) {
      preempted += real(job.preempted) / 1e9L;
      migrated += real(job.migrated) / 1e9L;
    }
    expect(report_, "", "preempted_gb", preempted);
    if (span_ > 0) expect(report_, "", "preempted_gb_per_s", preempted / span_);
    if (workload_.profiles.empty()) {  // see events_verifier.hpp
      expect(report_, "", "migrated_gb", migrated);
      if (span_ > 0) expect(report_, "", "migrated_gb_per_s", migrated / span_);
    }
    const YieldSums& sums = events.yields;
    if (sums.busy == 0) return;
    expect(report_, "", "yield_mean", real(sums.yield_time) / real(sums.job_time) / 1e6L);
    expect(report_, "", "yield_min", real(Int128{sums.lowest.raw}) / 1e6L);
    expect(report_, "", "yield_min_mean", real(sums.lowest_time) / real(sums.busy) / 1e6L);
    expect(report_, "", "running_mean", real(sums.job_time) / real(Int128{(sums.last - sums.first).raw}));
  }

 private:
  // Printed as doubles: equal to a part in 10^9.
  void expect(const Json& where, const std::string& prefix, const std::string& key, Real wanted) {
    const std::string name = prefix + key;
    if (!where.is_object() || !where.contains(key) || !where[key].is_number())
      return findings_.add(name + " is missing");
    const Real is = where[key].get<double>();
    if (std::abs(is - wanted) <= std::abs(wanted) * 1e-9L + 1e-12L) return;
    findings_.add(name + " is " + std::to_string(static_cast<double>(is)) + ", should be " +
                  std::to_string(static_cast<double>(wanted)));
  }

  void expect_counts(const std::string& what, Real count) {
    expect(report_, "", what, count);
    expect(report_, "", what + "_per_job", count / static_cast<Real>(jobs_.size()));
    if (span_ > 0) expect(report_, "", what + "_per_hour", count / (span_ / 3600));
  }

  void expect_stretches(const Json& where, const std::string& prefix, const std::string& suffix,
                        const std::vector<JobsTableRow>& rows) {
    std::vector<Real> stretches;
    Real sum = 0;
    for (const JobsTableRow& row : rows) {
      const Real flow = real(row.end) - real(row.submit);
      stretches.push_back(std::max<Real>(1, flow / std::max<Real>(30, real(row.runtime))));
      sum += stretches.back();
    }
    std::ranges::sort(stretches);
    const auto rank = [&](std::size_t percent) {  // nearest rank
      std::size_t at = 0;
      while ((at + 1) * 100 < stretches.size() * percent) ++at;
      return stretches[at];
    };
    expect(where, prefix, "max" + suffix, stretches.back());
    expect(where, prefix, "avg" + suffix, sum / static_cast<Real>(stretches.size()));
    expect(where, prefix, "p95" + suffix, rank(95));
    expect(where, prefix, "p99" + suffix, rank(99));
  }

  // Its need at full speed times its run time, step by step: micro-cores times microseconds.
  [[nodiscard]] Int128 work_of(const WorkloadJob& job) const {
    Int128 tasks = job.submission.demand.tasks, sum = 0;
    std::int64_t from = 0;
    if (const auto its = workload_.profiles.find(job.id); its != workload_.profiles.end()) {
      for (const LaterStep& step : its->second) {
        const std::int64_t until = std::min(step.after.raw, job.runtime().raw);
        sum += tasks * (until - from);
        from = until;
        tasks = step.tasks;
      }
    }
    return (sum + tasks * (job.runtime().raw - from)) * job.submission.demand.need.raw;
  }

  void check_work() {
    Real capacity = 0;  // micro-cores
    for (const Node& node : nodes_) capacity += static_cast<Real>(node.capacity.raw);
    Real work = 0;
    std::vector<std::pair<Real, Real>> changes;  // instant, change of the CPU that jobs need
    for (const JobsTableRow& row : jobs_) {
      const WorkloadJob& asked = *asked_.at(row.job);
      const Int128 its_work = work_of(asked);
      const Real need = real(its_work / asked.runtime().raw);
      work += real(its_work) / 1e6L;
      changes.emplace_back(real(row.submit), need);
      changes.emplace_back(real(row.end), -need);
    }
    expect(report_, "", "utilization", work / (capacity * span_));
    std::ranges::sort(changes);
    Real wanted = 0;
    Real possible = 0;
    Real before = changes.front().first;
    for (const auto& [when, by] : changes) {
      possible += std::clamp<Real>(wanted, 0, capacity) * (when - before);
      before = when;
      wanted += by;
    }
    // A difference of two large sums.
    const Real off = report_.value("underutilization", -1.0) - (possible - work) / work;
    if (std::abs(off) > 1e-9L)
      findings_.add("underutilization is off by " + std::to_string(static_cast<double>(off)));
  }

  void check_classes() {
    std::map<std::string, std::vector<JobsTableRow>> sizes;
    std::map<std::string, std::vector<JobsTableRow>> runtimes;
    for (const JobsTableRow& row : jobs_) {
      const std::uint64_t n = row.tasks;
      sizes[n == 1 ? "one" : n <= 8 ? "small" : n <= 32 ? "medium" : "large"].push_back(row);
      const Real p = real(row.runtime);
      runtimes[p <= 30      ? "30s"
               : p <= 600   ? "10min"
               : p <= 3600  ? "1h"
               : p <= 36000 ? "10h"
                            : "longer"]
          .push_back(row);
    }
    check_class("by_size", sizes);
    check_class("by_runtime", runtimes);
  }

  void check_class(const std::string& key,
                   const std::map<std::string, std::vector<JobsTableRow>>& classes) {
    const Json all = report_.value(key, Json::object());
    Real counted = 0;
    for (const auto& [name, rows] : classes) {
      const Json is = all.is_object() ? all.value(name, Json::object()) : Json();
      expect(is, key + "." + name + ".", "jobs", static_cast<Real>(rows.size()));
      expect_stretches(is, key + "." + name + ".", "", rows);
    }
    for (const auto& [name, is] : all.items())
      if (is.is_object() && is.contains("jobs") && is["jobs"].is_number())
        counted += is["jobs"].get<double>();
    if (counted != static_cast<Real>(jobs_.size())) findings_.add(key + " does not count every job once");
  }

  const Workload& workload_;
  const std::vector<Node>& nodes_;
  const std::vector<JobsTableRow>& jobs_;
  const Json& report_;
  Findings& findings_;
  std::map<JobId, const WorkloadJob*> asked_;
  Real span_ = 0;
};

}  // namespace

Result<void> verify_report(const Workload& workload, const std::vector<Node>& nodes,
                           const std::vector<JobsTableRow>& jobs,
                           const std::optional<EventsReading>& events, const std::string& path,
                           Findings& findings) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorKind::not_found, path + ": cannot be read");
  const Json report = Json::parse(file, nullptr, false);
  if (!report.is_object())
    return fail(ErrorKind::invalid_argument, path + ": is no report of `run --json`");
  ReportVerifier verifier(workload, nodes, jobs, report, findings);
  verifier.check();
  if (events) verifier.check(*events);
  return {};
}

}  // namespace aliquot
