#include "tools/experiments/beyond/beyond_report.hpp"

#include <algorithm>
#include <set>

#include "tools/experiments/beyond/beyond.hpp"
#include "tools/experiments/campaign/report_files.hpp"
#include "tools/experiments/plots/plots.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/drawing/standalone.hpp"
#include "tools/sim/run_trial.hpp"

namespace aliquot {
namespace {

constexpr const char* kScaled = "dfrs scaled";
constexpr const char* kPapersPenalty = "300";

// Of the TPDS 2012 family, the best at a small, a middle and a large penalty.
const std::vector<std::string>& shown_policies() {
  static const std::vector<std::string> list = {std::string(kAliquot),
                                                "GreedyPM*/stretch-per=600/OPT=MAX/MINVT=600",
                                                "GreedyPM*/per=600/OPT=MIN/MINVT=600",
                                                "GreedyPM*/OPT=MIN",
                                                "GREEDY-PMTN",
                                                "DYNMCB8-ASAP-PER-600",
                                                "EASY",
                                                std::string(kLowerBound)};
  return list;
}

double seconds_of(const BeyondPanel& panel) {
  const auto penalty = parse_decimal(panel.penalty);
  return penalty ? static_cast<double>(penalty->pico) / static_cast<double>(kPico) : 0;
}

constexpr std::size_t kMostBehind = 20;
constexpr const char* kNote =
    "Geometric means over the instances. / ALIQUOT: how many times ALIQUOT's max stretch. Best: the best "
    "of the nine and the TPDS 2012 family on the same instance. Moves and pauses are per job.";

Table table_of(const BeyondPanel& panel, const std::vector<BeyondRow>& rows) {
  Table table;
  table.title = title_of(panel);
  table.columns = {"policy",        "max stretch", "p99",        "mean",  "/ ALIQUOT", "/ bound",
                   "/ best (mean)", "p95 of it",   "most of it", "moves", "pauses"};
  for (const BeyondRow& row : rows) {
    const bool rated = row.to_best_mean > 0;
    table.rows.push_back({row.policy, shown(row.max_stretch), shown(row.p99_stretch),
                          shown(row.avg_stretch), shown(row.to_ours),
                          row.to_bound > 0 ? shown(row.to_bound) : "", rated ? shown(row.to_best_mean) : "",
                          rated ? shown(row.to_best_p95) : "", rated ? shown(row.to_best_max) : "",
                          shown(row.moves), shown(row.pauses)});
  }
  if (!rows.empty()) table.note = std::to_string(rows.front().instances) + " instances.";
  return table;
}

std::vector<Table> tables_of(const CampaignRecord& record, const std::vector<Trial>& trials) {
  std::vector<Table> tables;
  for (const BeyondPanel& panel : panels_of(trials))
    tables.push_back(table_of(panel, rows_of(panel, trials, record.plan.policies)));
  return tables;
}

Table behind_table(const std::vector<Trial>& trials) {
  Table table;
  table.title = "Where ALIQUOT is furthest behind the best baseline";
  table.columns = {"instance", "ALIQUOT", "best", "ratio", "by"};
  for (const Behind& one : furthest_behind(trials, kMostBehind)) {
    TrialKey key = one.key;
    key.policy = std::string(kAliquot);
    table.rows.push_back(
        {name_of(key), shown(one.ours), shown(one.best), shown(one.ours / one.best), one.baseline});
  }
  if (table.rows.empty()) table.note = "Nowhere.";
  return table;
}

std::string summary_csv(const CampaignRecord& record, const std::vector<Trial>& trials) {
  Table tidy;
  tidy.columns = {"instances_of", "penalty",     "policy",        "instances",     "max_stretch",
                  "p99_stretch",  "avg_stretch", "to_aliquot",    "to_bound",      "to_best_mean",
                  "to_best_p95",  "to_best_max", "moves_per_job", "pauses_per_job"};
  for (const BeyondPanel& panel : panels_of(trials)) {
    for (const BeyondRow& row : rows_of(panel, trials, record.plan.policies)) {
      tidy.rows.push_back({panel.instances, panel.penalty, row.policy, std::to_string(row.instances)});
      for (const double value :
           {row.max_stretch, row.p99_stretch, row.avg_stretch, row.to_ours, row.to_bound, row.to_best_mean,
            row.to_best_p95, row.to_best_max, row.moves, row.pauses})
        tidy.rows.back().push_back(to_text(value));
    }
  }
  return as_csv(tidy);
}

std::vector<DrawnPlot> load_plots(const std::vector<Trial>& trials) {
  std::vector<DrawnPlot> plots;
  for (const BeyondPanel& panel : panels_of(trials))
    plots.push_back(drawn(title_of(panel), load_plot(panel, trials)));
  return plots;
}

std::vector<DrawnPlot> penalty_plots(const std::vector<Trial>& trials) {
  std::vector<DrawnPlot> plots;
  std::set<std::string> done;
  for (const BeyondPanel& panel : panels_of(trials))
    if (done.insert(panel.instances).second)
      plots.push_back(drawn(panel.instances, penalty_plot(panel.instances, trials)));
  return plots;
}

std::string page_of(const CampaignRecord& record, const std::vector<Trial>& trials) {
  Page page("ALIQUOT against the baselines",
            std::to_string(trials.size()) + " simulations: " + std::to_string(record.plan.policies.size()) +
                " policies on " + std::to_string(record.plan.instances.size()) +
                " instances. Smaller is better everywhere.");
  put_section(page, "Max bounded stretch by load", "", load_plots(trials));
  put_section(page, "Max bounded stretch by penalty", "", penalty_plots(trials));
  page.section("All policies");
  page.paragraph(kNote);
  for (const Table& table : tables_of(record, trials)) page.table(table);
  page.section("Where it loses");
  page.table(behind_table(trials));
  page.provenance(provenance(record, trials.size()));
  return std::move(page).finish();
}

}  // namespace

std::string title_of(const BeyondPanel& panel) {
  return panel.instances + ", penalty " + panel.penalty + " s";
}

LinePlot load_plot(const BeyondPanel& panel, const std::vector<Trial>& trials) {
  const std::vector<SeriesStyle> styles = styles_of(shown_policies());
  LinePlot plot{"Max stretch, " + title_of(panel), "load", "max bounded stretch", {}, {}, {}};
  for (std::size_t i = 0; i < styles.size(); ++i) {
    LineSeries series{shown_policies()[i], styles[i], {}};
    for (const LoadPoint& point : by_load(panel, trials, series.name))
      series.points.push_back({point.load, exactly(point.max_stretch)});
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  return plot;
}

LinePlot penalty_plot(const std::string& instances, const std::vector<Trial>& trials) {
  std::vector<BeyondPanel> panels = panels_of(trials);
  std::erase_if(panels, [&](const BeyondPanel& panel) { return panel.instances != instances; });
  if (panels.size() < 2) return {};
  std::ranges::stable_sort(panels, {}, seconds_of);
  const std::vector<SeriesStyle> styles = styles_of(shown_policies());
  LinePlot plot{"Max stretch, " + instances, "penalty, seconds", "max bounded stretch", {}, {}, {}};
  for (std::size_t i = 0; i < styles.size(); ++i) {
    LineSeries series{shown_policies()[i], styles[i], {}};
    if (series.name == "EASY") continue;
    for (const BeyondPanel& panel : panels)
      if (const auto mean = max_stretch_of(series.name, panel, trials))
        series.points.push_back({seconds_of(panel), exactly(*mean)});
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  return plot;
}

std::string beyond_picture(const std::vector<Trial>& trials) {
  const std::vector<BeyondPanel> all = panels_of(trials);
  auto chosen = std::ranges::find(all, BeyondPanel{kScaled, kPapersPenalty});
  if (chosen == all.end()) chosen = std::ranges::find(all, std::string(kScaled), &BeyondPanel::instances);
  if (chosen == all.end()) return {};
  const DrawnPlot loads = drawn("By load, penalty " + chosen->penalty + " s", load_plot(*chosen, trials));
  if (loads.empty()) return {};
  std::vector<Panel> panels = {{loads.caption, loads.svg}};
  const DrawnPlot penalties = drawn("By penalty, over all loads", penalty_plot(kScaled, trials));
  if (!penalties.empty()) panels.push_back({penalties.caption, penalties.svg});
  return standalone("Largest bounded stretch, geometric means", panels, 2, loads.legend);
}

std::vector<OutputFile> beyond_files(const CampaignRecord& record, const std::vector<Trial>& trials) {
  std::string markdown = std::string(kNote) + "\n\n";
  for (const Table& table : tables_of(record, trials)) markdown += as_markdown(table) + "\n";
  const Table behind = behind_table(trials);
  markdown += as_markdown(behind);
  return {{"summary.csv", summary_csv(record, trials)},
          {"behind.csv", as_csv(behind)},
          {"tables.md", markdown},
          {"beyond.svg", beyond_picture(trials)},
          {"report.html", page_of(record, trials)}};
}

std::vector<Table> beyond_closing_tables(const CampaignRecord& record, const std::vector<Trial>& trials) {
  return tables_of(record, trials);
}

}  // namespace aliquot
