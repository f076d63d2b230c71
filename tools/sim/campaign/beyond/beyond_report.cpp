// The files of `evaluate beyond`: tidy CSV, tables for a document, a page with plots.
#include <set>

#include "tools/sim/campaign/beyond/beyond_plots.hpp"
#include "tools/sim/campaign/beyond/field.hpp"
#include "tools/sim/campaign/report_files.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/drawing/page.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kMostBehind = 20;
constexpr const char* kNote =
    "Geometric means over the instances. / ALIQUOT: how many times ALIQUOT's max stretch. Best: the best "
    "of "
    "the nine and the TPDS 2012 family on the same instance. Moves and pauses are per job.";

Table table_of(const BeyondPanel& panel, const std::vector<BeyondRow>& rows) {
  Table table;
  table.title = title_of(panel);
  table.columns = {"policy",        "max stretch", "p99",        "mean",  "/ ALIQUOT", "/ bound",
                   "/ best (mean)", "p95 of it",   "most of it", "moves", "pauses"};
  for (const BeyondRow& row : rows) {
    const bool judged = row.to_best_mean > 0;
    table.rows.push_back({row.policy, shown(row.max_stretch), shown(row.p99_stretch),
                          shown(row.avg_stretch), shown(row.to_ours),
                          row.to_bound > 0 ? shown(row.to_bound) : "",
                          judged ? shown(row.to_best_mean) : "", judged ? shown(row.to_best_p95) : "",
                          judged ? shown(row.to_best_max) : "", shown(row.moves), shown(row.pauses)});
  }
  if (!rows.empty()) table.note = std::to_string(rows.front().instances) + " instances.";
  return table;
}

std::vector<Table> tables_of(const CampaignRecord& record, const std::vector<Cell>& cells) {
  std::vector<Table> tables;
  for (const BeyondPanel& panel : panels_of(cells))
    tables.push_back(table_of(panel, rows_of(panel, cells, record.plan.policies)));
  return tables;
}

Table behind_table(const std::vector<Cell>& cells) {
  Table table;
  table.title = "Where ALIQUOT is furthest behind the best rival";
  table.columns = {"instance", "ALIQUOT", "best", "ratio", "by"};
  for (const Behind& one : furthest_behind(cells, kMostBehind)) {
    CellKey key = one.key;
    key.policy = std::string(kOurs);
    table.rows.push_back(
        {name_of(key), shown(one.ours), shown(one.best), shown(one.ours / one.best), one.rival});
  }
  if (table.rows.empty()) table.note = "Nowhere.";
  return table;
}

std::string summary_csv(const CampaignRecord& record, const std::vector<Cell>& cells) {
  Table tidy;
  tidy.columns = {"instances_of", "penalty",     "policy",        "instances",     "max_stretch",
                  "p99_stretch",  "avg_stretch", "to_aliquot",    "to_bound",      "to_best_mean",
                  "to_best_p95",  "to_best_max", "moves_per_job", "pauses_per_job"};
  for (const BeyondPanel& panel : panels_of(cells)) {
    for (const BeyondRow& row : rows_of(panel, cells, record.plan.policies)) {
      tidy.rows.push_back({panel.instances, panel.penalty, row.policy, std::to_string(row.instances)});
      for (const double value :
           {row.max_stretch, row.p99_stretch, row.avg_stretch, row.to_ours, row.to_bound, row.to_best_mean,
            row.to_best_p95, row.to_best_max, row.moves, row.pauses})
        tidy.rows.back().push_back(to_text(value));
    }
  }
  return as_csv(tidy);
}

void figures_by_load(Page& page, const std::vector<Cell>& cells) {
  std::vector<Page::Figure> figures;
  std::string keys;
  for (const BeyondPanel& panel : panels_of(cells)) {
    BeyondPlot plot = load_plot(panel, cells);
    if (plot.series.empty()) continue;
    keys = legend(plot.series);
    figures.push_back({title_of(panel), std::move(plot.svg)});
  }
  if (figures.empty()) return;
  page.section("Max bounded stretch by load");
  page.figures(figures, keys);
}

void figures_by_penalty(Page& page, const std::vector<Cell>& cells) {
  std::vector<Page::Figure> figures;
  std::string keys;
  std::set<std::string> done;
  for (const BeyondPanel& panel : panels_of(cells)) {
    if (!done.insert(panel.instances).second) continue;
    BeyondPlot plot = penalty_plot(panel.instances, cells);
    if (plot.series.empty()) continue;
    keys = legend(plot.series);
    figures.push_back({panel.instances, std::move(plot.svg)});
  }
  if (figures.empty()) return;
  page.section("Max bounded stretch by penalty");
  page.figures(figures, keys);
}

std::string page_of(const CampaignRecord& record, const std::vector<Cell>& cells) {
  Page page("ALIQUOT against the field",
            std::to_string(cells.size()) + " simulations: " + std::to_string(record.plan.policies.size()) +
                " policies on " + std::to_string(record.plan.instances.size()) +
                " instances. Smaller is better everywhere.");
  figures_by_load(page, cells);
  figures_by_penalty(page, cells);
  page.section("All policies");
  page.paragraph(kNote);
  for (const Table& table : tables_of(record, cells)) page.table(table);
  page.section("Where it loses");
  page.table(behind_table(cells));
  page.section("Where this comes from");
  page.facts(provenance(record, cells.size()));
  return std::move(page).finish();
}

}  // namespace

std::vector<NamedText> beyond_files(const CampaignRecord& record, const std::vector<Cell>& cells) {
  std::string markdown = std::string(kNote) + "\n\n";
  for (const Table& table : tables_of(record, cells)) markdown += as_markdown(table) + "\n";
  const Table behind = behind_table(cells);
  markdown += as_markdown(behind);
  return {{"summary.csv", summary_csv(record, cells)},
          {"behind.csv", as_csv(behind)},
          {"tables.md", markdown},
          {"beyond.svg", beyond_picture(cells)},
          {"report.html", page_of(record, cells)}};
}

std::vector<Table> beyond_closing_tables(const CampaignRecord& record, const std::vector<Cell>& cells) {
  return tables_of(record, cells);
}

}  // namespace aliquot
