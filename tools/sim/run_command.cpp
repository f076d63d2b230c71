#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "monitor/provenance.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/metrics/run_figures.hpp"
#include "tools/sim/one_run.hpp"
#include "tools/sim/output_file.hpp"
#include "tools/sim/picture/run_page.hpp"

namespace aliquot {
namespace {

nlohmann::ordered_json options_json(const RunOptions& options, const std::string& policy) {
  const ClusterShape& shape = options.read.shape;
  return {{"workload", options.workload},
          {"nodes", shape.nodes},
          {"cores_per_node", shape.cores_per_node},
          {"node_memory_gb", static_cast<double>(shape.node_memory.raw) / 1e9},
          {"policy", policy},
          {"penalty_s", to_seconds(options.model.penalty)},
          {"swf", options.read.swf == ReadOptions::Swf::procs ? "procs" : "dfrs"},
          {"perfect_estimates", options.read.perfect_estimates}};
}

nlohmann::ordered_json summary_json(const Summary& sum, const OneRun& run) {
  return {{"jobs", sum.jobs},
          {"skipped", sum.skipped},
          {"makespan", to_seconds(sum.makespan)},
          {"max_bounded_stretch", sum.max_bounded_stretch},
          {"avg_bounded_stretch", sum.avg_bounded_stretch},
          {"p95_bounded_stretch", sum.p95_bounded_stretch},
          {"p99_bounded_stretch", sum.p99_bounded_stretch},
          {"utilization", sum.utilization},
          {"preemptions", sum.preemptions},
          {"migrations", sum.migrations},
          {"preempted_gb", sum.preempted_gb},
          {"migrated_gb", sum.migrated_gb},
          {"decisions", sum.decisions},
          {"decision_us_p50", sum.decision_us_p50},
          {"decision_us_p99", sum.decision_us_p99},
          {"decision_us_max", sum.decision_us_max},
          {"parse_s", run.reading_s},
          {"wall_s", run.simulating_s},
          {"jobs_per_s", static_cast<double>(sum.jobs) / std::max(run.simulating_s, 1e-9)}};
}

nlohmann::ordered_json as_json(const std::vector<ClassFigures>& classes) {
  auto all = nlohmann::ordered_json::object();
  for (const ClassFigures& c : classes)
    all[c.name] = {{"jobs", c.jobs}, {"max", c.max}, {"avg", c.mean}, {"p95", c.p95}, {"p99", c.p99}};
  return all;
}

void add_figures(nlohmann::ordered_json& report, const RunFigures& run) {
  report["underutilization"] = run.underutilization;
  report["yield_mean"] = run.yields.mean;
  report["yield_min"] = run.yields.lowest;
  report["yield_min_mean"] = run.yields.mean_lowest;
  report["running_mean"] = run.yields.mean_running;
  report["preemptions_per_hour"] = run.preemptions_per_hour;
  report["migrations_per_hour"] = run.migrations_per_hour;
  report["preemptions_per_job"] = run.preemptions_per_job;
  report["migrations_per_job"] = run.migrations_per_job;
  report["preempted_gb_per_s"] = run.preempted_gb_per_s;
  report["migrated_gb_per_s"] = run.migrated_gb_per_s;
  report["decision_us_mean"] = run.decision_us_mean;
  report["decisions_up_to_10"] = run.decisions_few_jobs;
  report["decision_us_mean_gt10"] = run.decision_us_mean_many_jobs;
  report["decision_us_max_gt10"] = run.decision_us_max_many_jobs;
  report["by_size"] = as_json(run.by_size);
  report["by_runtime"] = as_json(run.by_runtime);
}

void add_power(nlohmann::ordered_json& report, const PowerFigures& power, const ClusterShape& shape) {
  const double node_time = static_cast<double>(power.time.raw) * static_cast<double>(shape.nodes);
  report["energy_kwh"] = power.energy.to_kwh();
  report["nodes_on"] = node_time > 0 ? static_cast<double>(power.node_time_on) / node_time : 0;
  report["switched_off"] = power.switched_off;
}

// How long jobs waited for limits of their accounts before they came to the policy.
void add_limits(nlohmann::ordered_json& report, const std::vector<JobRow>& rows) {
  std::uint64_t count = 0;
  Duration sum, longest;
  for (const JobRow& row : rows) {
    const Duration wait = row.outcome->submitted - row.job->submitted;
    if (wait.raw <= 0) continue;
    ++count;
    sum = sum + wait;
    longest = std::max(longest, wait);
  }
  report["limited_jobs"] = count;
  report["limit_wait_mean_s"] = count > 0 ? to_seconds(sum) / static_cast<double>(count) : 0.0;
  report["limit_wait_max_s"] = to_seconds(longest);
}

std::string class_table(const char* title, const std::vector<ClassFigures>& classes) {
  char line[128];
  std::snprintf(line, sizeof line, "%-20s %9s %10s %10s %10s %10s\n", title, "jobs", "max", "avg", "p95",
                "p99");
  std::string text = line;
  for (const ClassFigures& c : classes) {
    if (c.jobs == 0) continue;
    std::snprintf(line, sizeof line, "  %-18s %9llu %10.5g %10.5g %10.5g %10.5g\n", c.name.c_str(),
                  static_cast<unsigned long long>(c.jobs), c.max, c.mean, c.p95, c.p99);
    text += line;
  }
  return text;
}

std::string class_tables(const RunFigures& run) {
  return class_table("stretch by tasks", run.by_size) + class_table("stretch by run time", run.by_runtime);
}

// The same figures for a reader, one per line.
std::string as_lines(const nlohmann::ordered_json& report) {
  std::string text;
  for (const auto& [key, value] : report.items()) {
    if (value.is_object()) continue;
    std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    if (value.is_number_float()) {
      char buffer[64];
      std::snprintf(buffer, sizeof buffer, "%.6g", value.get<double>());
      shown = buffer;
    }
    text += key + std::string(22 - std::min<std::size_t>(21, key.size()), ' ') + shown + "\n";
  }
  return text;
}

// The last section of the page.
std::vector<std::pair<std::string, std::string>> provenance(const RunOptions& options,
                                                            const std::string& sha256) {
  return {{"program", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")"},
          {"workload", options.workload},
          {"its SHA-256", sha256},
          {"nodes", std::to_string(options.read.shape.make_nodes().size())},
          {"penalty, s", to_text(options.model.penalty)}};
}

}  // namespace

int report_error(const Error& error) {
  std::cerr << "aliquot-sim: " << error.message << "\n";
  const bool input = error.kind != ErrorKind::refused && error.kind != ErrorKind::internal &&
                     error.kind != ErrorKind::unavailable;
  return input ? 2 : 1;
}

int run_command(const RunOptions& options) {
  const auto ran = run_once(options);
  if (!ran) return report_error(ran.error());
  OneRun& run = **ran;
  const Workload& workload = run.workload;
  Collector& collected = run.collected;
  const std::string policy_name = run.simulation->scheduler().policy().name();

  const std::vector<JobRow> rows = make_rows(workload, collected);
  if (!options.jobs_out.empty()) {
    if (auto written = write_file(options.jobs_out, jobs_csv(workload, rows)); !written)
      return report_error(written.error());
  }
  const ClusterShape& shape = options.read.shape;
  const auto [summary, figures] = run_report(workload, shape, rows, collected);
  if (!options.report.empty()) {
    const RunPage page{policy_name, workload, options.read.shape,
                       summary,     figures,  provenance(options, workload.sha256)};
    const bool picture = options.report.ends_with(".svg");
    const std::string text = picture ? run_picture(page, run.timeline) : run_page(page, run.timeline);
    if (auto written = write_file(options.report, text); !written) return report_error(written.error());
  }
  auto report = summary_json(summary, run);
  add_figures(report, figures);
  if (const PowerFigures* power = run.simulation->power_figures()) add_power(report, *power, shape);
  if (!options.accounts.empty()) add_limits(report, rows);
  report["failed"] = std::ranges::count_if(
      rows, [](const JobRow& row) { return row.outcome->result != JobResult::completed; });
  report["version"] = kVersion;
  report["commit"] = kCommit;
  report["input_sha256"] = workload.sha256;
  report["options"] = options_json(options, policy_name);
  std::cout << (options.json ? report.dump(2) + "\n" : as_lines(report) + class_tables(figures));

  if (collected.refused > 0) {
    return report_error({ErrorKind::internal, "the checker refused " + std::to_string(collected.refused) +
                                                  " plans of " + policy_name + "; the first " +
                                                  collected.first_refusal});
  }
  const ConformanceChecker& checker = run.simulation->hypervisor().checker();
  if (checker.violation_count() > 0) {
    return report_error({ErrorKind::internal, "the model hypervisor objected to " +
                                                  std::to_string(checker.violation_count()) +
                                                  " actions; the first: " + checker.violations().front()});
  }
  return 0;
}

}  // namespace aliquot
