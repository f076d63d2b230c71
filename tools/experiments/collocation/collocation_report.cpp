#include "tools/experiments/collocation/collocation_report.hpp"

#include <algorithm>

#include "monitor/provenance.hpp"
#include "tools/experiments/plots/plots.hpp"
#include "tools/sim/decimal.hpp"

namespace aliquot::collocation {
namespace {

// The mean over the traces of a load; of `slowdown_worst` the largest.
CollocationRun figures_of(const CollocationStudy& study, double load, std::size_t rule) {
  CollocationRun sum{0, 0, 0, 0, 0, 0, 0, 0};
  double count = 0;
  for (const CollocationOutcome& outcome : study.outcomes) {
    if (outcome.load != load) continue;
    const CollocationRun& run = outcome.runs[rule];
    sum.slowdown_mean += run.slowdown_mean;
    sum.slowdown_worst = std::max(sum.slowdown_worst, run.slowdown_worst);
    for (const auto part : {&CollocationRun::gpu_max, &CollocationRun::gpu_mean, &CollocationRun::cpu_max,
                            &CollocationRun::cpu_mean, &CollocationRun::mean, &CollocationRun::nodes_used})
      sum.*part += run.*part;
    ++count;
  }
  for (const auto part : {&CollocationRun::slowdown_mean, &CollocationRun::gpu_max,
                          &CollocationRun::gpu_mean, &CollocationRun::cpu_max, &CollocationRun::cpu_mean,
                          &CollocationRun::mean, &CollocationRun::nodes_used})
    sum.*part /= count;
  return sum;
}

std::string load_text(double load) { return "load " + fixed(load, 2); }

std::string runs_csv(const CollocationStudy& study) {
  std::string text =
      "load,seed,gpu_jobs,cpu_jobs,policy,slowdown_mean,slowdown_worst,gpu_max_bounded_stretch,"
      "gpu_avg_bounded_stretch,cpu_max_bounded_stretch,cpu_avg_bounded_stretch,avg_bounded_stretch,nodes_"
      "used\n";
  for (const CollocationOutcome& outcome : study.outcomes)
    for (std::size_t rule = 0; rule < kRules.size(); ++rule) {
      const CollocationRun& run = outcome.runs[rule];
      text += to_text(outcome.load) + ',' + std::to_string(outcome.seed) + ',' +
              std::to_string(outcome.gpu_jobs) + ',' + std::to_string(outcome.cpu_jobs) + ",\"" +
              std::string(kRules[rule].policy) + '"';
      for (const double value : {run.slowdown_mean, run.slowdown_worst, run.gpu_max, run.gpu_mean,
                                 run.cpu_max, run.cpu_mean, run.mean, run.nodes_used})
        text += ',' + to_text(value);
      text += '\n';
    }
  return text;
}

Page::Figure bars(const CollocationStudy& study, const std::string& title, double CollocationRun::*value,
                  double scale) {
  CategoryPlot plot{title, title, {}, {}, std::nullopt};
  for (const double load : study.options.loads) plot.categories.push_back(load_text(load));
  for (std::size_t rule = 0; rule < kRules.size(); ++rule) {
    CategorySeries series{std::string(kRules[rule].policy), style_of("", rule), {}};
    for (const double load : study.options.loads)
      series.points.emplace_back(exactly(scale * (figures_of(study, load, rule).*value)));
    plot.series.push_back(std::move(series));
  }
  return {title, draw_wide(plot)};
}

std::string page_of(const CollocationStudy& study) {
  const CollocationOptions& options = study.options;
  Page page(
      "CPU-only jobs beside GPU jobs",
      "Without collocation (CAPE-RM:jobs=0), by the bounds of CAPE-RM, and with a guaranteed yield for "
      "GPU jobs (HYBRID, COLLOCATE), on a cluster of mixed node classes.");
  page.section("Slowdown ratio and stretch");
  page.wide_figure(bars(study, "Slowdown ratio of GPU jobs, mean, %", &CollocationRun::slowdown_mean, 100));
  page.wide_figure(bars(study, "Stretch of CPU-only jobs, mean", &CollocationRun::cpu_mean, 1));
  page.wide_figure(bars(study, "Stretch of GPU jobs, mean", &CollocationRun::gpu_mean, 1));
  page.section("Figures");
  page.table(collocation_table(study));
  page.provenance({{"program", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")"},
                   {"nodes", std::to_string(options.nodes) + ", " + text_of(options.mix)},
                   {"seeds", std::to_string(options.first_seed) + " to " +
                                 std::to_string(options.first_seed + options.seeds - 1)},
                   {"source",
                    "Learning Based Performance and Power Efficient Cluster Resource Manager for CPU-GPU "
                    "Cluster, sec. III"}});
  return std::move(page).finish();
}

}  // namespace

Table collocation_table(const CollocationStudy& study) {
  const CollocationOptions& options = study.options;
  Table table;
  table.title = "CPU-only jobs beside GPU jobs";
  table.columns = {"load: policy", "runs",          "slowdown, %", "worst",    "GPU stretch, max",
                   "avg",          "CPU-only, max", "avg",         "all, avg", "nodes used, %"};
  for (const double load : options.loads) {
    for (std::size_t rule = 0; rule < kRules.size(); ++rule) {
      const CollocationRun f = figures_of(study, load, rule);
      table.rows.push_back({load_text(load) + ": " + std::string(kRules[rule].policy),
                            std::to_string(options.seeds), fixed(100 * f.slowdown_mean, 2),
                            fixed(100 * f.slowdown_worst, 1), fixed(f.gpu_max, 2), fixed(f.gpu_mean, 3),
                            fixed(f.cpu_max, 2), fixed(f.cpu_mean, 3), fixed(f.mean, 3),
                            fixed(100 * f.nodes_used, 1)});
    }
  }
  table.note =
      "slowdown: of GPU jobs, (time shared - time alone) / time alone, mean of the jobs and runs; worst: "
      "of "
      "one job. Stretches are bounded; max: mean of the runs. nodes used: they hold a task, over the time "
      "of "
      "submissions. GPU jobs have a guaranteed yield of " +
      fixed(static_cast<double>(options.guarantee.raw) / kMillion, 2) +
      " under HYBRID and COLLOCATE, and none under CAPE-RM. " + std::to_string(options.nodes) + " nodes, " +
      text_of(options.mix) + ".";
  return table;
}

std::vector<OutputFile> collocation_files(const CollocationStudy& study) {
  const Table table = collocation_table(study);
  return {{"runs.csv", runs_csv(study)},
          {"collocation.csv", as_csv(table)},
          {"tables.md", as_markdown(table)},
          {"report.html", page_of(study)}};
}

}  // namespace aliquot::collocation
