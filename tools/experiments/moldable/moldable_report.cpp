#include "tools/experiments/moldable/moldable_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "monitor/provenance.hpp"
#include "tools/experiments/plots/plots.hpp"
#include "tools/sim/workload/csv_line.hpp"

namespace aliquot::moldable {
namespace {

std::string fixed_places(double value, int places) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", places, value);
  return text;
}

// What a rule comes to over all traces; means are geometric, since ratios multiply.
struct RuleSummary {
  double largest = 0;        // stretch
  double to_best = 0;        // largest stretch, to that of the best fixed rule on the same trace
  double worst = 0;          // the same, on the worst trace
  std::size_t no_worse = 0;  // traces on which the ratio is 1 at most
  double mean_stretch = 0;
  double tasks = 0;  // of a job, arithmetic
  double work = 0;   // to that of one task each
};

RuleSummary summary_of(const std::vector<TraceOutcome>& traces, std::size_t rule) {
  RuleSummary sum;
  for (const TraceOutcome& trace : traces) {
    const RuleOutcome& own = trace.rules[rule];
    const double ratio = own.largest_stretch / trace.best_fixed();
    sum.largest += std::log(own.largest_stretch);
    sum.to_best += std::log(ratio);
    sum.worst = std::max(sum.worst, ratio);
    sum.no_worse += ratio <= 1;
    sum.mean_stretch += std::log(own.mean_stretch);
    sum.tasks += own.mean_tasks;
    sum.work += std::log(own.work / trace.rules.front().work);
  }
  const auto count = static_cast<double>(traces.size());
  for (double* const mean : {&sum.largest, &sum.to_best, &sum.mean_stretch, &sum.work})
    *mean = std::exp(*mean / count);
  sum.tasks /= count;
  return sum;
}

Table rule_table(const MoldableStudy& study) {
  Table table;
  table.title = std::to_string(study.traces.size()) + " traces under " + study.options.policy +
                ", penalty " + to_text(study.options.penalty) + " s: by rule";
  table.columns = {"tasks of a job", "largest stretch", "to the best fixed", "at worst", "no worse on",
                   "mean stretch",   "tasks",           "CPU work"};
  for (std::size_t r = 0; r < kRules.size(); ++r) {
    const RuleSummary sum = summary_of(study.traces, r);
    table.rows.push_back({std::string(kRules[r].name), fixed_places(sum.largest, 2),
                          fixed_places(sum.to_best, 3), fixed_places(sum.worst, 2),
                          std::to_string(sum.no_worse), fixed_places(sum.mean_stretch, 2),
                          fixed_places(sum.tasks, 1), fixed_places(sum.work, 2)});
  }
  table.note =
      "Geometric means over the traces. the best fixed: of the rules from one task to largest, the one "
      "with "
      "the smallest largest stretch on the same trace. no worse on: so many traces. tasks: of a job, on "
      "average. CPU work: of all jobs, to that of one task each.";
  return table;
}

Table trace_table(const MoldableStudy& study) {
  Table table;
  table.title = "Largest stretch, by trace";
  table.columns = {"trace", "jobs", "moldable"};
  for (const StudyRule& rule : kRules) table.columns.emplace_back(rule.name);
  table.columns.emplace_back("to the best fixed");
  for (const TraceOutcome& trace : study.traces) {
    std::vector<std::string> row = {trace.name, std::to_string(trace.jobs), std::to_string(trace.moldable)};
    for (const RuleOutcome& own : trace.rules) row.push_back(fixed_places(own.largest_stretch, 2));
    row.push_back(fixed_places(trace.rules[kOurs].largest_stretch / trace.best_fixed(), 3));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string traces_csv(const MoldableStudy& study) {
  std::string text = "trace,jobs,moldable,rule,largest_stretch,mean_stretch,mean_tasks,core_seconds\n";
  for (const TraceOutcome& trace : study.traces) {
    for (std::size_t r = 0; r < kRules.size(); ++r) {
      const RuleOutcome& own = trace.rules[r];
      text += csv_field(trace.name) + ',' + std::to_string(trace.jobs) + ',' +
              std::to_string(trace.moldable) + ',' + std::string(kRules[r].name) + ',' +
              to_text(own.largest_stretch) + ',' + to_text(own.mean_stretch) + ',' +
              to_text(own.mean_tasks) + ',' + to_text(own.work) + '\n';
    }
  }
  return text;
}

Page::Figure dots(const MoldableStudy& study) {
  DotPlot plot{
      "largest stretch by rule, geometric mean over the traces", "largest stretch", "here", "", {}};
  for (std::size_t r = 0; r < kRules.size(); ++r)
    plot.rows.push_back({std::string(kRules[r].name), style_of("", r),
                         exactly(summary_of(study.traces, r).largest), std::nullopt});
  return {"Largest stretch by rule", draw(plot)};
}

// Over the loads of the synthetic traces.
LinePlot by_load(const MoldableStudy& study) {
  std::map<Decimal, std::vector<TraceOutcome>> of_load;
  for (const TraceOutcome& trace : study.traces)
    if (trace.load) of_load[*trace.load].push_back(trace);
  LinePlot plot{"largest stretch against load", "load", "largest stretch", {}, {}, {}};
  if (of_load.empty()) return plot;
  for (std::size_t r = 0; r < kRules.size(); ++r) {
    LineSeries series{std::string(kRules[r].name), style_of("", r), {}};
    for (const auto& [load, traces] : of_load) {
      const double at = static_cast<double>(load.pico) / static_cast<double>(kPico);
      series.points.push_back({at, exactly(summary_of(traces, r).largest)});
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::string page_of(const MoldableStudy& study) {
  const MoldableOptions& options = study.options;
  Page page(
      "Moldable jobs",
      "Jobs whose number of tasks is open: fixed for all by one rule, or chosen for each when it "
      "arrives, from the cluster as it is then. The stretch of a job is relative to its run time alone "
      "on its best number of tasks.");
  page.section("By rule");
  page.wide_figure(dots(study));
  page.table(rule_table(study));
  put_section(page, "By load", "", {drawn("Largest stretch against load", by_load(study))});
  page.section("By trace");
  page.table(trace_table(study));
  page.provenance({{"program", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")"},
                   {"policy", options.policy},
                   {"penalty", to_text(options.penalty) + " s"},
                   {"acceptable slowdown of least stretch", to_text(options.least_stretch.acceptable)},
                   {"threshold of load balance", to_text(options.load_balance.threshold)},
                   {"synthetic traces", std::to_string(options.traces.traces) + " from seed " +
                                            std::to_string(options.traces.seed) + ", " +
                                            std::to_string(options.traces.jobs) + " jobs each"},
                   {"source",
                    "Das, Sudhakaran and Ashok, Learning Based Performance and Power Efficient Cluster "
                    "Resource Manager for CPU-GPU Cluster, sec. III-A"}});
  return std::move(page).finish();
}

}  // namespace

std::vector<Table> moldable_tables(const MoldableStudy& study) {
  return {rule_table(study), trace_table(study)};
}

std::vector<OutputFile> moldable_files(const MoldableStudy& study) {
  const Table rules = rule_table(study);
  const Table traces = trace_table(study);
  return {{"traces.csv", traces_csv(study)},
          {"rules.csv", as_csv(rules)},
          {"tables.md", as_markdown(rules) + "\n" + as_markdown(traces)},
          {"report.html", page_of(study)}};
}

}  // namespace aliquot::moldable
