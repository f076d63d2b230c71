#include "tools/sim/campaign/papers/paper_page.hpp"

#include <algorithm>

#include "tools/sim/campaign/papers/paper_plots.hpp"
#include "tools/sim/campaign/report_files.hpp"
#include "tools/sim/drawing/page.hpp"

namespace aliquot {
namespace {

const char* const kWhatDegradation =
    "Degradation: the max bounded stretch a policy reached on an instance, over the best that any of the "
    "paper's nine reached there. 1 is best. Bars: 95 % intervals.";

// The best and the batch policies, in a sentence.
std::string lead(const Scope& scope) {
  const std::vector<Subset> subsets = scope.subsets();
  if (subsets.empty()) return "No instance is whole yet.";
  const auto paper =
      std::ranges::find_if(subsets, [](const Subset& subset) { return subset.penalty == "300"; });
  const Subset& subset = paper == subsets.end() ? subsets.front() : *paper;
  auto rows = degradations(scope.cells, subset, scope.policies);
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
  std::vector<Page::Figure> figures;
  std::string keys;
  char letter = 'a';
  for (const std::string& penalty : scope.penalties) {
    CurveFigure figure = curve_figure(scope, penalty);
    if (figure.svg.empty()) continue;
    figures.push_back({std::string("(") + letter++ + ") penalty " + penalty + " s", std::move(figure.svg)});
    keys = legend(figure.series);
  }
  if (figures.empty()) return;
  page.section("Degradation against load (Figure 1)");
  page.paragraph(kWhatDegradation);
  page.figures(figures, keys);
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

}  // namespace

std::string paper_page(const CampaignRecord& record, const Scope& scope, std::size_t left_out) {
  const bool weeks = record.plan.kind == "hpc2n";
  Page page(weeks ? "DFRS on HPC2N, week by week" : "The DFRS evaluation, run again", lead(scope));
  if (left_out > 0) {
    page.paragraph(
        std::to_string(left_out) +
        " cells are left out of everything below: on their instances not all of the nine are done.");
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
  page.section("Where this comes from");
  page.facts(provenance(record, scope.cells.size()));
  page.paragraph(
      "Paper: M. Stillwell, F. Vivien, H. Casanova, Dynamic Fractional Resource Scheduling for HPC "
      "Workloads, IPDPS 2010. Rows of its Tables I and II stand in italics.");
  return std::move(page).finish();
}

}  // namespace aliquot
