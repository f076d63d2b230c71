// `evaluate gpu-mix`: the measures of the second paper, over its workloads and experiments.
#include <algorithm>

#include "tools/experiments/placement/experiments.hpp"
#include "tools/experiments/placement/study_report.hpp"
#include "tools/experiments/plots/plots.hpp"
#include "tools/sim/drawing/standalone.hpp"

namespace aliquot {
namespace {

struct Measure {
  const char* name;
  const char* figures;  // of the paper
  Sample StudyOutcome::*of;
  double from;  // where its axis begins
};
constexpr std::array<Measure, 5> kMeasures = {
    {{"utilisation", "Figures 7 and 8", &StudyOutcome::utilization, 0.4},
     {"mean wait, hours", "Figures 9 and 10", &StudyOutcome::wait_h, 0},
     {"packing factor", "Figure 11", &StudyOutcome::packing, 1},
     {"fragmentation", "Figures 12 and 13", &StudyOutcome::fragmentation, 1},
     {"spread", "Figures 14 and 15", &StudyOutcome::spread, 1}}};

std::vector<std::string> distinct(const Study& study, std::string Experiment::*of) {
  std::vector<std::string> names;
  for (const Experiment& experiment : study.experiments)
    if (std::ranges::find(names, experiment.*of) == names.end()) names.push_back(experiment.*of);
  return names;
}

const std::vector<PlacementRun>* runs_of(const Study& study, const std::string& workload,
                                         const std::string& name) {
  for (std::size_t e = 0; e < study.experiments.size(); ++e)
    if (study.experiments[e].workload == workload && study.experiments[e].name == name)
      return &study.runs[e];
  return nullptr;
}

std::string fine(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

Table table_of(const Study& study, const Measure& measure) {
  Table table;
  table.title = std::string(measure.name) + " (" + measure.figures + ")";
  table.columns = {"workload"};
  const std::vector<std::string> names = distinct(study, &Experiment::name);
  for (const std::string& name : names) table.columns.push_back(name + "  " + gpu_mix_words(name));
  for (const std::string& workload : distinct(study, &Experiment::workload)) {
    std::vector<std::string> row = {workload};
    for (const std::string& name : names) {
      const auto* runs = runs_of(study, workload, name);
      row.push_back(runs ? fine((outcome_of(*runs).*measure.of).mean) : "-");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

SeriesStyle style_at(const Study& study, const std::string& name, std::size_t position) {
  const auto found = std::ranges::find(study.experiments, name, &Experiment::name);
  return experiment_style(found == study.experiments.end() ? "" : found->policy, position);
}

CategoryPlot plot_of(const Study& study, const Measure& measure) {
  CategoryPlot plot{measure.name, measure.name, distinct(study, &Experiment::workload), {}, measure.from};
  const std::vector<std::string> names = distinct(study, &Experiment::name);
  for (std::size_t e = 0; e < names.size(); ++e) {
    CategorySeries series{names[e] + "  " + gpu_mix_words(names[e]), style_at(study, names[e], e), {}};
    for (const std::string& workload : plot.categories) {
      const auto* runs = runs_of(study, workload, names[e]);
      if (!runs) {
        series.points.emplace_back();
        continue;
      }
      const double mean = (outcome_of(*runs).*measure.of).mean;
      series.points.push_back(exactly(mean));
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::string page_of(const Study& study) {
  Page page("Workloads of cores, nodes and GPUs",
            "The experiments of the second placement paper on 1,024 nodes of 8 cores and 2 GPUs: backfill, "
            "IPSCHED and AUCSCHED, each with basic and multifactor priorities.");
  for (const Measure& measure : kMeasures) {
    page.section(measure.name);
    const CategoryPlot plot = plot_of(study, measure);
    page.wide_figure(
        {std::string(measure.name) + " (" + measure.figures + " of the paper)", draw_wide(plot)},
        legend_html(legend_of(plot)));
    page.table(table_of(study, measure));
  }
  page.provenance(study_facts(study));
  return std::move(page).finish();
}

std::string figure_of(const Study& study) {
  std::vector<Panel> panels;
  std::vector<LegendEntry> legend;
  for (const Measure& measure : kMeasures) {
    const CategoryPlot plot = plot_of(study, measure);
    panels.push_back({measure.name, draw(plot)});
    legend = legend_of(plot);
  }
  return standalone("Workloads of cores, nodes and GPUs", panels, 2, legend);
}

}  // namespace

std::vector<Table> gpu_mix_tables(const Study& study) {
  std::vector<Table> tables;
  for (const Measure& measure : kMeasures) tables.push_back(table_of(study, measure));
  return tables;
}

std::vector<OutputFile> gpu_mix_files(const Study& study) {
  std::string markdown;
  for (const Table& table : gpu_mix_tables(study)) markdown += as_markdown(table) + "\n";
  return {{"gpu-mix.csv", outcomes_csv(study)},
          {"gpu-mix.md", markdown},
          {"report.html", page_of(study)},
          {"gpu-mix.svg", figure_of(study)}};
}

}  // namespace aliquot
