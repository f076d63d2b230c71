#include "tools/experiments/validity/validity_report.hpp"

#include <algorithm>
#include <cstdio>

#include "config/quantities.hpp"
#include "monitor/provenance.hpp"
#include "tools/experiments/plots/plots.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/workload/csv_line.hpp"
#include "tools/sim/workload/limits.hpp"
#include "tools/sim/workload/writers.hpp"

namespace aliquot {
namespace {

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string milliseconds(Duration duration) { return std::to_string((duration.raw + 500) / 1000) + " ms"; }

template <class Count>
std::string sum(const LiveComparison& model, Count count) {
  std::uint64_t all = 0;
  for (const ComparedJob& job : model.jobs) all += count(job);
  return std::to_string(all);
}

double mean_turnaround(const LiveComparison& model, bool live) {
  double all = 0;
  for (const ComparedJob& job : model.jobs) all += live ? job.live_s() : job.simulated_s();
  return all / static_cast<double>(model.jobs.size());
}

Table jobs_table(const LiveComparison& judged) {
  Table table;
  table.title = "Job by job";
  table.columns = {
      "job",       "submit", "tasks",       "cpu_need",         "memory_mib", "alone",          "live",
      "simulated", "error",  "live_pauses", "simulated_pauses", "live_moves", "simulated_moves"};
  for (const ComparedJob& job : judged.jobs) {
    const Demand& demand = job.live.submission->demand;
    table.rows.push_back({std::to_string(job.job.raw), to_text(job.simulated.submitted - Instant{}),
                          std::to_string(demand.tasks), print_cores(demand.need),
                          std::to_string(demand.memory.raw >> 20), to_text(job.alone),
                          to_text(job.live.ended - job.live.submitted),
                          to_text(job.simulated.ended - job.simulated.submitted), to_text(job.error()),
                          std::to_string(job.live.preemptions), std::to_string(job.simulated.preemptions),
                          std::to_string(job.live.migrations), std::to_string(job.simulated.migrations)});
  }
  return table;
}

// For readers: three digits are enough.
Table rounded(Table table) {
  for (auto& row : table.rows)
    for (const std::size_t column : {1U, 5U, 6U, 7U, 8U}) row[column] = shown(std::stod(row[column]));
  table.note = "Times in seconds; error: simulated / live - 1.";
  return table;
}

std::string costs_csv(const std::vector<ActionCost>& costs) {
  std::string text = "action,done,failed,mean,p95,delay,bandwidth\n";
  for (const ActionCost& cost : costs)
    text += std::string(word(cost.kind)) + ',' + std::to_string(cost.count) + ',' +
            std::to_string(cost.failed) + ',' + to_text(cost.mean) + ',' + to_text(cost.p95) + ',' +
            to_text(cost.delay) + ',' + std::to_string(cost.bandwidth) + '\n';
  return text;
}

std::string models_csv(const std::vector<LiveComparison>& models) {
  std::string text = "model,jobs,median_error,p95_error,worst_error,mean_signed_error\n";
  for (const LiveComparison& model : models)
    text += csv_field(model.name) + ',' + std::to_string(model.jobs.size()) + ',' + to_text(model.median) +
            ',' + to_text(model.p95) + ',' + to_text(model.worst) + ',' + to_text(model.mean) + '\n';
  return text;
}

std::string cluster_yaml(const ClusterShape& shape) {
  std::string text = "nodes:\n";
  for (const NodeKind& kind : shape.kinds)
    text += "  - {name: " + kind.name + ", cores: 1, speed: " + print_ratio(kind.speed_ppm) +
            ", memory: " + std::to_string(kind.memory.raw) + "B}\n";
  return text;
}

std::string turnaround_plot(const LiveComparison& compared) {
  ScatterPlot plot{"Turnaround of each job, simulated over measured", {}, kP95Bound};
  for (const ComparedJob& job : compared.jobs)
    plot.points.push_back({"job " + std::to_string(job.job.raw), job.live_s(), job.simulated_s()});
  return draw(plot);
}

std::string page_of(const Validity& validity) {
  const LiveComparison& judged = validity.models.front();
  Page page("Live against simulated",
            "The same jobs on real nodes and in the simulator: " + verdict(judged) + ".");
  page.section("Turnarounds");
  page.paragraph(
      "Each point is a job. On the diagonal the simulation says what was measured; the dotted lines are 15 "
      "% "
      "away. The simulation knows the nodes, the policy, when each job came, how much CPU time its work "
      "takes, and what actions cost; it decides everything else anew.");
  const auto figure = [](const LiveComparison& model) {
    return Page::Figure{"with " + model.name, turnaround_plot(model)};
  };
  page.figures({figure(judged), figure(validity.models.back())});
  page.table(models_table(validity));
  page.section("What actions cost");
  page.table(costs_table(validity));
  if (!validity.live.troubles.empty()) {
    page.section("What went wrong on the nodes");
    for (const std::string& trouble : validity.live.troubles) page.paragraph(trouble);
  }
  page.section("The jobs");
  page.folded("Job by job", {rounded(jobs_table(judged))});
  page.provenance({{"program", "aliquot-sim " + std::string(kVersion) + " (" + kCommit + ")"},
                   {"policy", validity.what.policy},
                   {"nodes", std::to_string(validity.what.shape.nodes)},
                   {"live run", "journal.jsonl, work.csv"},
                   {"by hand", command_line(validity)}});
  return std::move(page).finish();
}

}  // namespace

std::string verdict(const LiveComparison& judged) {
  return "turnaround error: median " + percent(judged.median) + ", p95 " + percent(judged.p95) + ", of " +
         std::to_string(judged.jobs.size()) +
         " jobs: " + (judged.within_bounds() ? "within the bounds (" : "beyond the bounds (") +
         percent(kMedianBound) + ", " + percent(kP95Bound) + ")";
}

Table models_table(const Validity& validity) {
  Table table;
  table.title = "Turnarounds, simulated against measured";
  table.columns = {"simulated with", "median error", "p95",         "worst",     "mean, signed",
                   "turnaround, s",  "measured, s",  "preemptions", "migrations"};
  for (const LiveComparison& model : validity.models)
    table.rows.push_back({model.name, percent(model.median), percent(model.p95), percent(model.worst),
                          percent(model.mean), shown(mean_turnaround(model, false)),
                          shown(mean_turnaround(model, true)),
                          sum(model, [](const ComparedJob& job) { return job.simulated.preemptions; }),
                          sum(model, [](const ComparedJob& job) { return job.simulated.migrations; })});
  const LiveComparison& judged = validity.models.front();
  table.note = "Live: " + sum(judged, [](const ComparedJob& job) { return job.live.preemptions; }) +
               " preemptions, " + sum(judged, [](const ComparedJob& job) { return job.live.migrations; }) +
               " migrations. The first row is judged; turnarounds are means.";
  return table;
}

Table costs_table(const Validity& validity) {
  Table table;
  table.title = "What actions took, for each task";
  table.columns = {"action", "done", "failed", "mean", "p95", "delay in the model", "bandwidth, GB/s"};
  for (const ActionCost& cost : validity.costs)
    table.rows.push_back({std::string(word(cost.kind)), std::to_string(cost.count),
                          std::to_string(cost.failed), milliseconds(cost.mean), milliseconds(cost.p95),
                          milliseconds(cost.delay),
                          cost.bandwidth > 0 ? shown(static_cast<double>(cost.bandwidth) / 1e9) : "-"});
  table.note =
      "From the request to its outcome, the wait for a node's lane included. Failed ones are not "
      "simulated.";
  return table;
}

std::string command_line(const Validity& validity) {
  std::string delays, bandwidths;
  for (const ActionCost& cost : validity.costs) {
    if (cost.kind == ActionKind::abort) continue;  // never an action of its own
    const std::string name = (delays.empty() ? "" : ",") + std::string(word(cost.kind)) + "=";
    delays += name + to_text(cost.delay);
    if (cost.bandwidth == 0) continue;
    bandwidths += (bandwidths.empty() ? "" : ",") + std::string(word(cost.kind)) + "=" +
                  to_text(static_cast<double>(cost.bandwidth) / 1e9);
  }
  const bool network = std::ranges::any_of(
      validity.what.workload.jobs, [](const WorkloadJob& job) { return job.submission.has_network; });
  return "aliquot-sim run --workload workload.csv --cluster cluster.yaml --policy '" +
         validity.what.policy + "'" + (delays.empty() ? "" : " --delay " + delays) +
         (bandwidths.empty() ? "" : " --bandwidth " + bandwidths) + (network ? " --network" : "");
}

std::vector<OutputFile> validity_files(const Validity& validity) {
  const Table jobs = jobs_table(validity.models.front());
  return {{"jobs.csv", as_csv(jobs)},
          {"costs.csv", costs_csv(validity.costs)},
          {"models.csv", models_csv(validity.models)},
          {"workload.csv", workload_csv(validity.what.workload)},
          {"cluster.yaml", cluster_yaml(validity.what.shape)},
          {"tables.md", as_markdown(models_table(validity)) + "\n" + as_markdown(costs_table(validity))},
          {"report.html", page_of(validity)}};
}

}  // namespace aliquot
