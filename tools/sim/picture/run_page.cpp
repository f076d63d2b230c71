#include "tools/sim/picture/run_page.hpp"

#include <algorithm>

#include "tools/sim/drawing/page.hpp"
#include "tools/sim/drawing/standalone.hpp"
#include "tools/sim/picture/run_plots.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kBins = 400;
constexpr std::size_t kMostRows = 64;  // of nodes
constexpr std::size_t kMostBars = 80;  // of jobs

std::string count(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string lead(const RunPage& page) {
  const Summary& sum = page.summary;
  return count(sum.jobs) + " jobs on " + count(page.shape.make_nodes().size()) + " nodes under " +
         page.policy + ": bounded stretch " + shown(sum.max_bounded_stretch) + " at most, " +
         shown(sum.avg_bounded_stretch) + " on average; " + shown(sum.utilization * 100) +
         " % of the CPU used; " + count(sum.preemptions) + " pauses and " + count(sum.migrations) +
         " moves.";
}

Table summary_table(const RunPage& page) {
  const Summary& sum = page.summary;
  const RunFigures& run = page.figures;
  Table table;
  table.columns = {"figure", "value"};
  table.rows = {{"makespan, hours", shown(to_seconds(sum.makespan) / 3600)},
                {"bounded stretch: max", shown(sum.max_bounded_stretch)},
                {"bounded stretch: mean", shown(sum.avg_bounded_stretch)},
                {"bounded stretch: p95", shown(sum.p95_bounded_stretch)},
                {"bounded stretch: p99", shown(sum.p99_bounded_stretch)},
                {"CPU used, %", shown(sum.utilization * 100)},
                {"normalised under-utilisation", shown(run.underutilization)},
                {"yield: mean", shown(run.yields.mean)},
                {"yield: lowest, mean over time", shown(run.yields.mean_lowest)},
                {"yield: lowest of all", shown(run.yields.lowest)},
                {"jobs running, mean", shown(run.yields.mean_running)},
                {"pauses per job", shown(run.preemptions_per_job)},
                {"moves per job", shown(run.migrations_per_job)},
                {"memory saved, GB", shown(sum.preempted_gb)},
                {"memory moved, GB", shown(sum.migrated_gb)},
                {"decisions", count(sum.decisions)},
                {"time of a decision, mean, us", shown(run.decision_us_mean)},
                {"time of a decision, p99, us", shown(sum.decision_us_p99)}};
  return table;
}

Table class_table(const std::string& title, const std::vector<ClassFigures>& classes) {
  Table table;
  table.title = title;
  table.columns = {"class", "jobs", "max", "mean", "p95", "p99"};
  for (const ClassFigures& one : classes) {
    if (one.jobs == 0) continue;
    table.rows.push_back(
        {one.name, count(one.jobs), shown(one.max), shown(one.mean), shown(one.p95), shown(one.p99)});
  }
  return table;
}

void put_pictures(Page& page, const RunPage& what, const RunToBin& run) {
  const RunBins bins = bin_run(run, kBins, kMostRows);
  const std::size_t nodes = what.shape.make_nodes().size();
  page.section("Jobs over time");
  page.wide_figure({"How many, and what they do", draw_jobs_over_time(bins)}, state_legend());
  page.section("Yields over time");
  page.paragraph(
      "The yield of a job is the part of its CPU need that it is given. What DFRS makes as large as it can "
      "is the lowest.");
  page.wide_figure({"", draw_yields_over_time(bins)}, yield_legend());
  page.section("Nodes over time");
  if (nodes > bins.node_rows) page.paragraph("Neighbouring nodes share a row.");
  page.wide_figure({"CPU given", draw_node_map(bins, NodeResource::cpu, nodes)});
  page.wide_figure({"Memory held", draw_node_map(bins, NodeResource::memory, nodes)}, shade_legend());
  page.section("Single jobs");
  const std::vector<std::size_t> worst = worst_jobs(run, kMostBars);
  std::string text = worst.size() < run.jobs.size()
                         ? "The " + std::to_string(worst.size()) + " jobs of the largest stretch"
                         : "All jobs";
  page.paragraph(text +
                 ", in order of submission; the more solid a bar, the higher the yield. Rest the "
                 "pointer on a row to see which it is.");
  page.wide_figure({"", draw_job_bars(run, worst)}, state_legend());
}

}  // namespace

std::string run_page(const RunPage& what, RunTimeline& timeline) {
  Page page(what.policy, lead(what));
  const std::vector<JobTimeline> jobs = timeline.finished();
  const RunToBin run{what.workload, what.shape, timeline, jobs};
  if (!jobs.empty()) put_pictures(page, what, run);
  page.section("Figures");
  page.table(summary_table(what));
  page.folded("Bounded stretch by class of jobs",
              {class_table("by the number of tasks", what.figures.by_size),
               class_table("by run time", what.figures.by_runtime)});
  page.provenance(what.provenance);
  return std::move(page).finish();
}

std::string run_picture(const RunPage& what, RunTimeline& timeline) {
  const std::vector<JobTimeline> jobs = timeline.finished();
  if (jobs.empty()) return standalone(lead(what), {}, 1);
  const RunToBin run{what.workload, what.shape, timeline, jobs};
  const RunBins bins = bin_run(run, kBins, kMostRows);
  return standalone(
      lead(what),
      {{what.policy + ": jobs running (blue), standing still (orange), paused (purple), waiting (grey)",
        draw_jobs_over_time(bins)},
       {"their yields: mean (blue) and lowest (red)", draw_yields_over_time(bins)},
       {"CPU given, node by node", draw_node_map(bins, NodeResource::cpu, what.shape.make_nodes().size())}},
      1);
}

}  // namespace aliquot
