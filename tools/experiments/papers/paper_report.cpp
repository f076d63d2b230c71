// The report of `evaluate dfrs2010` and `evaluate hpc2n`: tidy CSV, tables for a document, plots, the page.
#include <algorithm>

#include "tools/experiments/campaign/report_files.hpp"
#include "tools/experiments/papers/published.hpp"
#include "tools/experiments/papers/tables.hpp"
#include "tools/experiments/plots/plots.hpp"
#include "tools/sim/drawing/standalone.hpp"

namespace aliquot {
namespace {

// "scaled traces, penalty 300 s".
std::string described(const Subset& subset) {
  const std::string traces =
      subset.traces == Traces::weeks ? "HPC2N weeks" : std::string(name_of(subset.traces)) + " traces";
  return traces + ", penalty " + subset.penalty + " s";
}

SeriesStyle style_in(const Scope& scope, const std::string& policy) {
  const auto position = std::ranges::find(scope.policies, policy) - scope.policies.begin();
  return styles_of(scope.policies)[static_cast<std::size_t>(position)];
}

std::vector<LineSeries> series_of(const Scope& scope, const std::string& penalty) {
  std::vector<LineSeries> list;
  for (const Curve& curve : curves(scope.trials, penalty, scope.policies)) {
    LineSeries series{curve.policy, style_in(scope, curve.policy), {}};
    for (const CurvePoint& point : curve.points)
      series.points.push_back({point.load, mean_of(point.sample)});
    list.push_back(std::move(series));
  }
  return list;
}

// Figure 1 at one penalty. All penalties have the same scale, to compare them by eye.
DrawnPlot curve_figure(const Scope& scope, const std::string& penalty, const std::string& caption) {
  LinePlot plot{"Average degradation against load, penalty " + penalty + " s",
                "load",
                "average degradation",
                series_of(scope, penalty),
                1,
                2};
  for (const std::string& other : scope.penalties)
    for (const LineSeries& series : series_of(scope, other))
      for (const auto& point : series.points)
        plot.y_high = std::max({*plot.y_high, point.y.value, point.y.high});
  return drawn(caption, plot);
}

// Table I, ours and the paper's.
std::string degradation_dots(const Scope& scope, const Subset& subset) {
  DotPlot plot{
      "Average degradation, ours and the paper's", "average degradation from best", "here", "paper", {}};
  for (const PolicySample& row : degradations(scope.trials, subset, scope.policies)) {
    DotRow dot{row.policy, style_in(scope, row.policy), mean_of(row.sample), std::nullopt};
    if (const PublishedDegradation* paper = published_for(row.policy, subset)) dot.other = paper->avg;
    plot.rows.push_back(std::move(dot));
  }
  return draw(plot);
}

std::string time_dots(const Scope& scope) {
  DotPlot plot{"Time of a decision", "microseconds: mean (filled), longest (ring)", "mean", "longest", {}};
  for (const DecisionRow& row : decision_times(scope.trials, scope.policies))
    plot.rows.push_back({row.policy, style_in(scope, row.policy), exactly(row.mean_us), row.max_us});
  return draw(plot);
}

// Figure 1 and Table I as files that stand alone; empty: there is nothing to show.

std::string curves_picture(const Scope& scope) {
  std::vector<Panel> panels;
  std::vector<LegendEntry> legend;
  for (const std::string& penalty : scope.penalties) {
    DrawnPlot figure = curve_figure(scope, penalty, "Rescheduling penalty " + penalty + " s");
    if (figure.empty()) continue;
    panels.push_back({figure.caption, std::move(figure.svg)});
    legend = std::move(figure.legend);
  }
  if (panels.empty()) return {};
  return standalone("Average degradation from the best against load", panels, 2, legend);
}

std::string dots_picture(const Scope& scope) {
  std::vector<Panel> panels;
  for (const Subset& subset : scope.subsets())
    if (subset.penalty == "300") panels.push_back({described(subset), degradation_dots(scope, subset)});
  if (panels.empty()) return {};
  return standalone("Average degradation from the best, here (filled) and in the paper (rings)", panels, 2);
}

const char* const kWhatDegradation =
    "Degradation: the max bounded stretch a policy reached on an instance, over the best that any of the "
    "paper's nine reached there. 1 is best. Bars: 95 % intervals.";

// The degradation of the best policy and of the batch policies, in a sentence.
std::string lead(const Scope& scope) {
  const std::vector<Subset> subsets = scope.subsets();
  if (subsets.empty()) return "No instance is whole yet.";
  const auto paper =
      std::ranges::find_if(subsets, [](const Subset& subset) { return subset.penalty == "300"; });
  const Subset& subset = paper == subsets.end() ? subsets.front() : *paper;
  auto rows = degradations(scope.trials, subset, scope.policies);
  const auto best =
      std::ranges::min_element(rows, {}, [](const PolicySample& row) { return row.sample.mean; });
  std::string text = "On " + std::to_string(rows.front().sample.count) + " " + described(subset) + ", " +
                     best->policy + " comes closest to the best: " + shown(best->sample.mean) +
                     " times its max stretch on average";
  for (const PolicySample& row : rows)
    if (row.policy == "EASY" || row.policy == "FCFS")
      text += "; " + row.policy + " " + shown(row.sample.mean);
  return text + ".";
}

void put_figure_one(Page& page, const Scope& scope) {
  std::vector<DrawnPlot> figures;
  char letter = 'a';
  for (const std::string& penalty : scope.penalties) {
    DrawnPlot figure =
        curve_figure(scope, penalty, std::string("(") + letter + ") penalty " + penalty + " s");
    if (figure.empty()) continue;
    figures.push_back(std::move(figure));
    ++letter;
  }
  if (!put_section(page, "Degradation against load (Figure 1)", kWhatDegradation, figures)) return;
  std::vector<Table> numbers;
  for (const std::string& penalty : scope.penalties) numbers.push_back(curve_table(scope, penalty));
  page.folded("The averages as numbers", numbers);
}

void put_table_one(Page& page, const Scope& scope) {
  page.section("Degradation from best (Table I)");
  page.paragraph(
      "Filled: here, with its 95 % interval. Ring: the paper, which gives a 300 s penalty only; beside "
      "EASY-LEGACY stands what it prints for EASY.");
  std::vector<Page::Figure> figures;
  for (const Subset& subset : scope.subsets())
    figures.push_back({described(subset), degradation_dots(scope, subset)});
  page.figures(figures);
  std::vector<Table> others;
  for (const Subset& subset : scope.subsets()) {
    Table table = degradation_table(scope, subset);
    if (subset.penalty == "300")
      page.table(table);
    else
      others.push_back(std::move(table));
  }
  if (!others.empty()) page.folded("Other penalties", others);
}

void put_costs(Page& page, const Scope& scope) {
  std::vector<Table> shown_ones;
  std::vector<Table> others;
  for (const Subset& subset : scope.subsets()) {
    Table table = cost_table(scope, subset);
    if (table.rows.empty()) continue;
    const bool main_one = subset.penalty == "300" && subset.traces != Traces::unscaled;
    (main_one ? shown_ones : others).push_back(std::move(table));
  }
  if (shown_ones.empty() && others.empty()) return;
  page.section("What pausing and moving costs (Table II)");
  page.paragraph(
      "pmtn: preemptions, mig: migrations. Averages over instances, maxima in brackets; of each "
      "instance, over its makespan. A preemption or migration counts once per job and decision.");
  for (const Table& table : shown_ones) page.table(table);
  if (!others.empty()) page.folded("Other penalties and unscaled traces", others);
}

// `left_out`: trials of instances that are not complete.
std::string page_of(const CampaignRecord& record, const Scope& scope, std::size_t left_out) {
  const bool weeks = record.plan.kind == "hpc2n";
  Page page(weeks ? "DFRS on HPC2N, week by week" : "The DFRS evaluation, run again", lead(scope));
  if (left_out > 0) {
    page.paragraph(
        std::to_string(left_out) +
        " trials are left out of everything below: on their instances not all of the nine are done.");
  }
  if (!scope.subsets().empty()) {
    put_figure_one(page, scope);
    put_table_one(page, scope);
    put_costs(page, scope);
    page.section("Instance by instance");
    page.paragraph(
        "Geometric mean of the ratio of max stretches; below 1: better than the best on average.");
    for (const Subset& subset : scope.subsets())
      if (subset.penalty == scope.penalties.back()) page.table(paired_table(scope, subset));
    page.section("How long a decision takes");
    page.paragraph(
        "Measured in this run. The paper (3.2 GHz Xeon, DYNMCB8, unscaled traces): under 1 ms for the "
        "67 % of decisions over ten jobs or fewer, else 250 ms on average and 4.5 s at most.");
    page.figures({{"mean and longest", time_dots(scope)}});
    page.table(time_table(scope));
  }
  page.provenance(provenance(record, scope.trials.size()));
  page.paragraph(
      "Paper: M. Stillwell, F. Vivien, H. Casanova, Dynamic Fractional Resource Scheduling for HPC "
      "Workloads, IPDPS 2010. Rows of its Tables I and II stand in italics.");
  return std::move(page).finish();
}

constexpr const char* kFromTo = "Averages ± half the width of the 95 % interval of the mean, over traces.";

std::string markdown(const Scope& scope) {
  std::string text;
  const auto put = [&text](const Table& table) {
    if (!table.rows.empty()) text += as_markdown(table) + "\n";
  };
  const std::vector<Subset> subsets = scope.subsets();
  text += std::string(kFromTo) + "\n\n";
  for (const Subset& subset : subsets) put(degradation_table(scope, subset));
  for (const std::string& penalty : scope.penalties) put(curve_table(scope, penalty));
  for (const Subset& subset : subsets)
    if (subset.traces != Traces::unscaled) put(cost_table(scope, subset));
  for (const Subset& subset : subsets) put(paired_table(scope, subset));
  text.pop_back();
  return text;
}

}  // namespace

std::vector<OutputFile> paper_files(const CampaignRecord& record, const RatedTrials& rated) {
  const Scope scope{rated.trials, record.plan.policies, record.plan.penalties};
  std::vector<OutputFile> files = {{"table1.csv", degradation_csv(scope)},
                                   {"table2.csv", cost_csv(scope)},
                                   {"figure1.csv", curve_csv(scope)},
                                   {"paired.csv", paired_csv(scope)},
                                   {"tables.md", markdown(scope)},
                                   {"measured/decision_times.csv", time_csv(scope)},
                                   {"measured/decision_times.md", as_markdown(time_table(scope))},
                                   {"report.html", page_of(record, scope, rated.left_out)}};
  for (OutputFile picture :
       {OutputFile{"figure1.svg", curves_picture(scope)}, OutputFile{"table1.svg", dots_picture(scope)}})
    if (!picture.text.empty()) files.push_back(std::move(picture));
  return files;
}

std::vector<Table> paper_closing_tables(const CampaignRecord& record, const RatedTrials& rated) {
  const Scope scope{rated.trials, record.plan.policies, record.plan.penalties};
  std::vector<Table> tables;
  for (const Subset& subset : scope.subsets()) tables.push_back(degradation_table(scope, subset));
  if (!tables.empty()) tables.back().note = kFromTo;
  return tables;
}

}  // namespace aliquot
