#include "tools/experiments/power/power_report.hpp"

#include <cmath>
#include <map>

#include "monitor/provenance.hpp"
#include "tools/experiments/plots/plots.hpp"
#include "tools/sim/decimal.hpp"

namespace aliquot::power {
namespace {

constexpr std::size_t kBase = static_cast<std::size_t>(PowerRule::always_on);

// The instances of a row: a load of the generated traces, or a range of loads of the log's weeks.
struct Group {
  std::string name;
  std::vector<const PowerOutcome*> outcomes;
};

std::string range_of(double load) {
  constexpr std::array<double, 4> limits = {0.2, 0.4, 0.6, 0.8};
  for (std::size_t k = 0; k < limits.size(); ++k)
    if (load <= limits[k])
      return "HPC2N, load " + (k == 0 ? "0.0" : fixed(limits[k - 1], 1)) + " to " + fixed(limits[k], 1);
  return "HPC2N, load above 0.8";
}

std::vector<Group> groups_of(const PowerStudy& study) {
  std::vector<Group> generated;
  std::map<std::string, Group> weeks;
  for (const PowerOutcome& outcome : study.outcomes) {
    if (outcome.instance.name == "HPC2N") {
      Group& group = weeks[range_of(outcome.instance.load)];
      group.name = range_of(outcome.instance.load);
      group.outcomes.push_back(&outcome);
      continue;
    }
    if (generated.empty() || generated.back().name != outcome.instance.name)
      generated.push_back({outcome.instance.name, {}});
    generated.back().outcomes.push_back(&outcome);
  }
  for (auto& [name, group] : weeks) generated.push_back(std::move(group));
  return generated;
}

// Means over the instances of a group, relative to always-on in the same instance.
struct GroupFigures {
  double kwh = 0, percent = 0, on = 0, switches = 0;
  double max_stretch = 0, max_ratio = 0, worst_ratio = 0, avg_ratio = 0;  // ratios: geometric means
};

GroupFigures figures_of(const Group& group, std::size_t rule) {
  GroupFigures sum;
  double base_kwh = 0;
  for (const PowerOutcome* outcome : group.outcomes) {
    const PowerRun& run = outcome->runs[rule];
    const PowerRun& base = outcome->runs[kBase];
    sum.kwh += run.kwh;
    base_kwh += base.kwh;
    sum.on += run.nodes_on;
    sum.switches += run.switches;
    sum.max_stretch += run.max_stretch;
    sum.max_ratio += std::log(run.max_stretch / base.max_stretch);
    sum.worst_ratio = std::max(sum.worst_ratio, run.max_stretch / base.max_stretch);
    sum.avg_ratio += std::log(run.avg_stretch / base.avg_stretch);
  }
  const auto count = static_cast<double>(group.outcomes.size());
  sum.percent = base_kwh > 0 ? 100 * sum.kwh / base_kwh : 100;
  sum.kwh /= count;
  sum.on /= count;
  sum.switches /= count;
  sum.max_stretch /= count;
  sum.max_ratio = std::exp(sum.max_ratio / count);
  sum.avg_ratio = std::exp(sum.avg_ratio / count);
  return sum;
}

std::string hpc2n_note(const PowerStudy& study) {
  return study.options.log.empty() ? " Without --log the weeks of HPC2N are left out." : "";
}

Table power_table(const PowerStudy& study) {
  const PowerOptions& options = study.options;
  Table table;
  table.title = "Energy and stretch by power rule, beside " + options.policy;
  table.columns = {"instances: rule", "runs",        "kWh",         "% of always-on", "nodes on, %",
                   "off/node/day",    "max stretch", "x always-on", "worst",          "avg stretch x"};
  for (const Group& group : groups_of(study)) {
    for (std::size_t rule = 0; rule < kRuleNames.size(); ++rule) {
      const GroupFigures f = figures_of(group, rule);
      table.rows.push_back({group.name + ": " + std::string(kRuleNames[rule]),
                            std::to_string(group.outcomes.size()), fixed(f.kwh, 0), fixed(f.percent, 1),
                            fixed(100 * f.on, 1), fixed(f.switches, 1), shown(f.max_stretch),
                            fixed(f.max_ratio, 3), fixed(f.worst_ratio, 3), fixed(f.avg_ratio, 3)});
    }
  }
  const PowerSettings& settings = options.settings;
  table.note =
      "kWh: from the first submission to the last, mean of the runs. max stretch: bounded, mean of "
      "the runs; x always-on: geometric mean of the ratio to always-on in the same instance; worst: "
      "the largest of these ratios. A node draws " +
      std::to_string(settings.draw.idle.raw / 1000) + " W idle, " +
      std::to_string(settings.draw.full.raw / 1000) + " W at full utilisation and " +
      std::to_string(settings.draw.asleep.raw / 1000) + " W asleep; it boots in " + to_text(settings.boot) +
      " s." + hpc2n_note(study);
  return table;
}

std::string runs_csv(const PowerStudy& study) {
  std::string text =
      "instance,number,load,rule,kwh,nodes_on,utilization,switches_per_node_day,max_bounded_stretch,"
      "avg_bounded_stretch\n";
  for (const PowerOutcome& outcome : study.outcomes) {
    for (std::size_t rule = 0; rule < kRuleNames.size(); ++rule) {
      const PowerRun& run = outcome.runs[rule];
      text += outcome.instance.name + ',' + std::to_string(outcome.instance.number) + ',' +
              to_text(outcome.instance.load) + ',' + std::string(kRuleNames[rule]);
      for (const double value :
           {run.kwh, run.nodes_on, run.utilization, run.switches, run.max_stretch, run.avg_stretch})
        text += ',' + to_text(value);
      text += '\n';
    }
  }
  return text;
}

Page::Figure bars(const PowerStudy& study, const std::string& title, double GroupFigures::*value) {
  CategoryPlot plot{title, title, {}, {}, std::nullopt};
  const std::vector<Group> groups = groups_of(study);
  for (const Group& group : groups) plot.categories.push_back(group.name);
  for (std::size_t rule = 0; rule < kRuleNames.size(); ++rule) {
    CategorySeries series{std::string(kRuleNames[rule]), style_of("", rule), {}};
    for (const Group& group : groups) series.points.emplace_back(exactly(figures_of(group, rule).*value));
    plot.series.push_back(std::move(series));
  }
  return {title, draw_wide(plot)};
}

std::string page_of(const PowerStudy& study) {
  Page page(
      "Nodes that sleep",
      "Idle nodes are switched off and woken by a power rule beside the scheduling policy: always on, "
      "CAPE-RM's rule (by the present or the usual load), and ours (a reserve for the arrivals learned "
      "per hour of the week).");
  page.section("Energy and the largest stretch");
  page.wide_figure(bars(study, "Energy, % of always-on", &GroupFigures::percent));
  page.wide_figure(bars(study, "Largest stretch, x always-on", &GroupFigures::max_ratio));
  page.section("Figures");
  page.table(power_table(study));
  page.provenance({{"program", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")"},
                   {"policy", study.options.policy},
                   {"seeds", std::to_string(study.options.first_seed) + " to " +
                                 std::to_string(study.options.first_seed + study.options.seeds - 1)},
                   {"source",
                    "Learning Based Performance and Power Efficient Cluster Resource Manager for CPU-GPU "
                    "Cluster, sec. III"}});
  return std::move(page).finish();
}

}  // namespace

std::vector<Table> power_tables(const PowerStudy& study) { return {power_table(study)}; }

std::vector<OutputFile> power_files(const PowerStudy& study) {
  const Table table = power_table(study);
  return {{"runs.csv", runs_csv(study)},
          {"power.csv", as_csv(table)},
          {"tables.md", as_markdown(table)},
          {"report.html", page_of(study)}};
}

}  // namespace aliquot::power
