// The files of `sweep`: means with intervals of every figure, paired comparisons, a page with plots.
#include <algorithm>
#include <map>
#include <set>

#include "tools/experiments/campaign/report_files.hpp"
#include "tools/experiments/campaign/statistics.hpp"
#include "tools/experiments/plots/plots.hpp"
#include "tools/sim/decimal.hpp"

namespace aliquot {
namespace {

// The trials of one table: they differ in policy, load and seed only.
struct Panel {
  std::string workload, nodes, penalty;
  friend auto operator<=>(const Panel&, const Panel&) = default;
  [[nodiscard]] std::string title() const {
    return workload + ", " + nodes + " nodes, penalty " + penalty + " s";
  }
};

using Panels = std::vector<std::pair<Panel, std::vector<RatedTrial>>>;

// In the order of the trials.
Panels panels_of(const CampaignRecord& record, const std::vector<Trial>& trials) {
  Panels list;
  for (const RatedTrial& rated : rate(trials, record.plan.policies).trials) {
    const TrialKey& key = rated.trial.key;
    const Panel panel{key.workload, key.nodes, key.penalty};
    auto found = std::ranges::find(list, panel, &Panels::value_type::first);
    if (found == list.end()) found = list.insert(list.end(), {panel, {}});
    found->second.push_back(rated);
  }
  return list;
}

template <class Value>
Sample over_seeds(const std::vector<RatedTrial>& trials, const std::string& policy, Value value) {
  Groups groups;
  for (const RatedTrial& rated : trials)
    if (rated.trial.key.policy == policy) groups[rated.trial.key.seed].push_back(value(rated));
  return clustered(groups);
}

std::string with_interval(const Sample& sample) {
  return shown(sample.mean) + (sample.half_width > 0 ? " ± " + shown(sample.half_width) : "");
}

Table panel_table(const CampaignRecord& record, const Panel& panel, const std::vector<RatedTrial>& trials) {
  Table table;
  table.title = panel.title();
  table.columns = {"policy",      "max stretch", "avg stretch", "degradation",
                   "utilization", "pmtn / job",  "mig / job"};
  const auto figure = [](Figure which) {
    return [which](const RatedTrial& rated) { return rated.trial[which]; };
  };
  const auto per_job = [](Figure which) {
    return [which](const RatedTrial& rated) {
      return rated.trial[which] / std::max(1.0, rated.trial[Figure::jobs]);
    };
  };
  for (const std::string& policy : record.plan.policies) {
    table.rows.push_back({policy,
                          with_interval(over_seeds(trials, policy, figure(Figure::max_bounded_stretch))),
                          with_interval(over_seeds(trials, policy, figure(Figure::avg_bounded_stretch))),
                          with_interval(over_seeds(
                              trials, policy, [](const RatedTrial& rated) { return rated.degradation; })),
                          shown(over_seeds(trials, policy, figure(Figure::utilization)).mean),
                          shown(over_seeds(trials, policy, per_job(Figure::preemptions)).mean),
                          shown(over_seeds(trials, policy, per_job(Figure::migrations)).mean)});
  }
  return table;
}

// The mean over the seeds of every figure that is not measured.
std::string summary_csv(const std::vector<Trial>& trials) {
  std::vector<TrialKey> order;
  std::map<TrialKey, std::vector<const Trial*>> groups;
  for (const Trial& trial : trials) {
    TrialKey key = trial.key;
    key.seed.clear();
    auto& group = groups[key];
    if (group.empty()) order.push_back(key);
    group.push_back(&trial);
  }
  Table tidy;
  tidy.columns = {"workload", "load",    "nodes",    "policy", "penalty", "figure", "instances",
                  "avg",      "avg_low", "avg_high", "std",    "min",     "max"};
  for (const TrialKey& key : order) {
    for (const Figure figure : all_figures()) {
      if (measured(figure)) continue;
      std::vector<double> values;
      for (const Trial* trial : groups.at(key)) values.push_back((*trial)[figure]);
      const Sample sample = sample_of(values);
      tidy.rows.push_back({key.workload, key.load, key.nodes, key.policy, key.penalty,
                           std::string(name_of(figure)), std::to_string(sample.count), to_text(sample.mean),
                           to_text(sample.low()), to_text(sample.high()), to_text(sample.deviation),
                           to_text(sample.least), to_text(sample.most)});
    }
  }
  return as_csv(tidy);
}

std::string pairs_csv(const CampaignRecord& record, const Panels& panels) {
  Table tidy;
  tidy.columns = {"workload", "nodes",     "penalty",    "a",        "b",       "instances",
                  "ratio",    "ratio_low", "ratio_high", "a_better", "b_better"};
  for (const auto& [panel, rated] : panels) {
    std::vector<Trial> trials;
    for (const RatedTrial& one : rated) trials.push_back(one.trial);
    for (const Paired& pair : paired(trials, record.plan.policies)) {
      tidy.rows.push_back({panel.workload, panel.nodes, panel.penalty, pair.a, pair.b,
                           std::to_string(pair.instances), to_text(pair.ratio), to_text(pair.low),
                           to_text(pair.high), std::to_string(pair.a_better),
                           std::to_string(pair.b_better)});
    }
  }
  return as_csv(tidy);
}

DrawnPlot by_load(const CampaignRecord& record, const Panel& panel, const std::vector<RatedTrial>& trials) {
  const std::vector<SeriesStyle> styles = styles_of(record.plan.policies);
  LinePlot plot{"Max stretch, " + panel.title(), "load", "max bounded stretch", {}, {}, {}};
  for (std::size_t i = 0; i < record.plan.policies.size(); ++i) {
    LineSeries series{record.plan.policies[i], styles[i], {}};
    std::map<double, std::vector<double>> values;
    for (const RatedTrial& rated : trials) {
      const TrialKey& key = rated.trial.key;
      const auto load = parse_decimal(key.load);
      if (key.policy == series.name && load)
        values[static_cast<double>(load->pico) / 1e12].push_back(rated.trial[Figure::max_bounded_stretch]);
    }
    for (const auto& [load, stretches] : values)
      series.points.push_back({load, mean_of(sample_of(stretches))});
    plot.series.push_back(std::move(series));
  }
  return drawn(panel.title(), plot);
}

std::string by_policy(const CampaignRecord& record, const Panel& panel,
                      const std::vector<RatedTrial>& trials) {
  const std::vector<SeriesStyle> styles = styles_of(record.plan.policies);
  DotPlot dots{"Max stretch, " + panel.title(), "max bounded stretch", "mean", "", {}};
  for (std::size_t i = 0; i < record.plan.policies.size(); ++i) {
    const Sample all = over_seeds(trials, record.plan.policies[i], [](const RatedTrial& rated) {
      return rated.trial[Figure::max_bounded_stretch];
    });
    dots.rows.push_back({record.plan.policies[i], styles[i], mean_of(all), std::nullopt});
  }
  return draw(dots);
}

bool has_several_loads(const std::vector<RatedTrial>& trials) {
  std::set<std::string> loads;
  for (const RatedTrial& rated : trials)
    if (!rated.trial.key.load.empty()) loads.insert(rated.trial.key.load);
  return loads.size() > 1;
}

std::string page_of(const CampaignRecord& record, const std::vector<Trial>& trials, const Panels& panels) {
  Page page("A sweep", std::to_string(trials.size()) +
                           " simulations: " + std::to_string(record.plan.policies.size()) +
                           " policies on " + std::to_string(record.plan.instances.size()) + " instances.");
  std::vector<Page::Figure> figures;
  std::string legend;
  for (const auto& [panel, rated] : panels) {
    if (!has_several_loads(rated)) {
      figures.push_back({panel.title(), by_policy(record, panel, rated)});
      continue;
    }
    const DrawnPlot plot = by_load(record, panel, rated);
    figures.push_back({plot.caption, plot.svg});
    legend = legend_html(plot.legend);
  }
  if (!figures.empty()) {
    page.section("Max bounded stretch");
    page.paragraph("Means over instances; bars: 95 % intervals over seeds.");
    page.figures(figures, legend);
    page.section("By policy");
    page.paragraph(
        "Degradation: max stretch over the best that any policy of this sweep reached on the instance.");
    for (const auto& [panel, rated] : panels) page.table(panel_table(record, panel, rated));
  }
  page.provenance(provenance(record, trials.size()));
  return std::move(page).finish();
}

}  // namespace

std::vector<OutputFile> sweep_files(const CampaignRecord& record, const std::vector<Trial>& trials) {
  const Panels panels = panels_of(record, trials);
  std::string markdown;
  for (const auto& [panel, rated] : panels)
    markdown += as_markdown(panel_table(record, panel, rated)) + "\n";
  return {{"summary.csv", summary_csv(trials)},
          {"paired.csv", pairs_csv(record, panels)},
          {"tables.md", markdown},
          {"report.html", page_of(record, trials, panels)}};
}

std::vector<Table> sweep_closing_tables(const CampaignRecord& record, const std::vector<Trial>& trials) {
  std::vector<Table> tables;
  for (const auto& [panel, rated] : panels_of(record, trials))
    tables.push_back(panel_table(record, panel, rated));
  return tables;
}

}  // namespace aliquot
