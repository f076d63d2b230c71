// The tables of `evaluate validity`.
#include <cstdio>

#include "tools/sim/decimal.hpp"
#include "tools/sim/validity/validity_report.hpp"
#include "tools/sim/workload/limits.hpp"

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
    if (cost.kind == ActionKind::abort) continue;  // is never carried out by itself
    const std::string name = (delays.empty() ? "" : ",") + std::string(word(cost.kind)) + "=";
    delays += name + to_text(cost.delay);
    if (cost.bandwidth == 0) continue;
    bandwidths += (bandwidths.empty() ? "" : ",") + std::string(word(cost.kind)) + "=" +
                  to_text(static_cast<double>(cost.bandwidth) / 1e9);
  }
  return "aliquot-sim run --workload workload.csv --cluster cluster.yaml --policy '" +
         validity.what.policy + "'" + (delays.empty() ? "" : " --delay " + delays) +
         (bandwidths.empty() ? "" : " --bandwidth " + bandwidths);
}

}  // namespace aliquot
