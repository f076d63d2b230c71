// The files of `sweep`: means with intervals of every figure, paired comparisons, a page with plots.
#include <algorithm>
#include <map>

#include "tools/sim/campaign/paired.hpp"
#include "tools/sim/campaign/report_files.hpp"
#include "tools/sim/campaign/statistics.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/drawing/dot_plot.hpp"
#include "tools/sim/drawing/line_plot.hpp"
#include "tools/sim/drawing/page.hpp"

namespace aliquot {
namespace {

// Cells that differ in policy, load and seed only: they stand in one table.
struct Panel {
  std::string workload, nodes, penalty;
  friend auto operator<=>(const Panel&, const Panel&) = default;
  [[nodiscard]] std::string title() const {
    return workload + ", " + nodes + " nodes, penalty " + penalty + " s";
  }
};

using Judgements = std::vector<std::pair<Panel, std::vector<Judged>>>;

// In the order in which they come.
Judgements panels(const CampaignRecord& record, const std::vector<Cell>& cells) {
  Judgements list;
  for (const Judged& judged : judge(cells, record.plan.policies).cells) {
    const CellKey& key = judged.cell.key;
    const Panel panel{key.workload, key.nodes, key.penalty};
    auto found = std::ranges::find(list, panel, &Judgements::value_type::first);
    if (found == list.end()) found = list.insert(list.end(), {panel, {}});
    found->second.push_back(judged);
  }
  return list;
}

template <class Value>
Sample over_seeds(const std::vector<Judged>& cells, const std::string& policy, Value value) {
  Groups groups;
  for (const Judged& judged : cells)
    if (judged.cell.key.policy == policy) groups[judged.cell.key.seed].push_back(value(judged));
  return clustered(groups);
}

std::string with_interval(const Sample& sample) {
  return shown(sample.mean) + (sample.half_width > 0 ? " ± " + shown(sample.half_width) : "");
}

Table panel_table(const CampaignRecord& record, const Panel& panel, const std::vector<Judged>& cells) {
  Table table;
  table.title = panel.title();
  table.columns = {"policy",      "max stretch", "avg stretch", "degradation",
                   "utilization", "pmtn / job",  "mig / job"};
  const auto figure = [](Figure which) {
    return [which](const Judged& judged) { return judged.cell[which]; };
  };
  const auto per_job = [](Figure which) {
    return [which](const Judged& judged) {
      return judged.cell[which] / std::max(1.0, judged.cell[Figure::jobs]);
    };
  };
  for (const std::string& policy : record.plan.policies) {
    table.rows.push_back(
        {policy, with_interval(over_seeds(cells, policy, figure(Figure::max_bounded_stretch))),
         with_interval(over_seeds(cells, policy, figure(Figure::avg_bounded_stretch))),
         with_interval(over_seeds(cells, policy, [](const Judged& judged) { return judged.degradation; })),
         shown(over_seeds(cells, policy, figure(Figure::utilization)).mean),
         shown(over_seeds(cells, policy, per_job(Figure::preemptions)).mean),
         shown(over_seeds(cells, policy, per_job(Figure::migrations)).mean)});
  }
  return table;
}

// Every figure that repeats: its mean over the seeds.
std::string summary_csv(const std::vector<Cell>& cells) {
  std::vector<CellKey> order;
  std::map<CellKey, std::vector<const Cell*>> groups;
  for (const Cell& cell : cells) {
    CellKey key = cell.key;
    key.seed.clear();
    auto& group = groups[key];
    if (group.empty()) order.push_back(key);
    group.push_back(&cell);
  }
  Table tidy;
  tidy.columns = {"workload", "load",    "nodes",    "policy", "penalty", "figure", "instances",
                  "avg",      "avg_low", "avg_high", "std",    "min",     "max"};
  for (const CellKey& key : order) {
    for (const Figure figure : all_figures()) {
      if (measured(figure)) continue;
      std::vector<double> values;
      for (const Cell* cell : groups.at(key)) values.push_back((*cell)[figure]);
      const Sample sample = sample_of(values);
      tidy.rows.push_back({key.workload, key.load, key.nodes, key.policy, key.penalty,
                           std::string(name_of(figure)), std::to_string(sample.count), to_text(sample.mean),
                           to_text(sample.low()), to_text(sample.high()), to_text(sample.deviation),
                           to_text(sample.least), to_text(sample.most)});
    }
  }
  return as_csv(tidy);
}

std::string pairs_csv(const CampaignRecord& record, const Judgements& judgements) {
  Table tidy;
  tidy.columns = {"workload", "nodes",     "penalty",    "a",        "b",       "instances",
                  "ratio",    "ratio_low", "ratio_high", "a_better", "b_better"};
  for (const auto& [panel, judged] : judgements) {
    std::vector<Cell> cells;
    for (const Judged& one : judged) cells.push_back(one.cell);
    for (const Paired& pair : paired(cells, record.plan.policies)) {
      tidy.rows.push_back({panel.workload, panel.nodes, panel.penalty, pair.a, pair.b,
                           std::to_string(pair.instances), to_text(pair.ratio), to_text(pair.low),
                           to_text(pair.high), std::to_string(pair.a_better),
                           std::to_string(pair.b_better)});
    }
  }
  return as_csv(tidy);
}

// Max stretch by load where there are several, else a row for each policy.
Page::Figure figure_of(const CampaignRecord& record, const Panel& panel, const std::vector<Judged>& cells,
                       std::string& keys) {
  const std::vector<SeriesStyle> styles = styles_of(record.plan.policies);
  LinePlot plot{"Max stretch, " + panel.title(), "load", "max bounded stretch", {}, {}, {}};
  DotPlot dots{"Max stretch, " + panel.title(), "max bounded stretch", "mean", "", {}};
  for (std::size_t i = 0; i < record.plan.policies.size(); ++i) {
    const std::string& policy = record.plan.policies[i];
    LineSeries series{policy, styles[i], {}};
    std::map<double, std::vector<double>> by_load;
    for (const Judged& judged : cells) {
      const CellKey& key = judged.cell.key;
      const auto load = parse_decimal(key.load);
      if (key.policy == policy && load)
        by_load[static_cast<double>(load->pico) / 1e12].push_back(judged.cell[Figure::max_bounded_stretch]);
    }
    for (const auto& [load, values] : by_load) {
      const Sample sample = sample_of(values);
      series.points.push_back({load, sample.mean, sample.low(), sample.high()});
    }
    plot.series.push_back(std::move(series));
    const Sample all = over_seeds(
        cells, policy, [](const Judged& judged) { return judged.cell[Figure::max_bounded_stretch]; });
    dots.rows.push_back({policy, styles[i], all.mean, all.low(), all.high(), std::nullopt});
  }
  if (plot.series.front().points.size() < 2) return {panel.title(), draw(dots)};
  keys = legend(plot.series);
  return {panel.title(), draw(plot)};
}

std::string page_of(const CampaignRecord& record, const std::vector<Cell>& cells,
                    const Judgements& judgements) {
  Page page("A sweep", std::to_string(cells.size()) +
                           " simulations: " + std::to_string(record.plan.policies.size()) +
                           " policies on " + std::to_string(record.plan.instances.size()) + " instances.");
  std::vector<Page::Figure> figures;
  std::string keys;
  for (const auto& [panel, judged] : judgements) figures.push_back(figure_of(record, panel, judged, keys));
  if (!figures.empty()) {
    page.section("Max bounded stretch");
    page.paragraph("Means over instances; bars: 95 % intervals over seeds.");
    page.figures(figures, keys);
    page.section("By policy");
    page.paragraph(
        "Degradation: max stretch over the best that any policy of this sweep reached on the instance.");
    for (const auto& [panel, judged] : judgements) page.table(panel_table(record, panel, judged));
  }
  page.section("Where this comes from");
  page.facts(provenance(record, cells.size()));
  return std::move(page).finish();
}

}  // namespace

std::vector<NamedText> sweep_files(const CampaignRecord& record, const std::vector<Cell>& cells) {
  const Judgements judgements = panels(record, cells);
  std::string markdown;
  for (const auto& [panel, judged] : judgements)
    markdown += as_markdown(panel_table(record, panel, judged)) + "\n";
  return {{"summary.csv", summary_csv(cells)},
          {"paired.csv", pairs_csv(record, judgements)},
          {"tables.md", markdown},
          {"report.html", page_of(record, cells, judgements)}};
}

std::vector<Table> sweep_closing_tables(const CampaignRecord& record, const std::vector<Cell>& cells) {
  std::vector<Table> tables;
  for (const auto& [panel, judged] : panels(record, cells))
    tables.push_back(panel_table(record, panel, judged));
  return tables;
}

}  // namespace aliquot
