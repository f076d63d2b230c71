#include "tools/sim/metrics/run_json.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace aliquot {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const std::vector<ClassFigures>& classes) {
  Json all = Json::object();
  for (const ClassFigures& c : classes)
    all[c.name] = {{"jobs", c.jobs}, {"max", c.max}, {"avg", c.mean}, {"p95", c.p95}, {"p99", c.p99}};
  return all;
}

std::string table(const char* title, const std::vector<ClassFigures>& classes) {
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

}  // namespace

void add_figures(Json& report, const RunFigures& run) {
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

std::string class_tables(const RunFigures& run) {
  return table("stretch by tasks", run.by_size) + table("stretch by run time", run.by_runtime);
}

}  // namespace aliquot
