#include "tools/experiments/evolving/online_report.hpp"

#include <cmath>
#include <string>

#include "monitor/provenance.hpp"
#include "tools/experiments/plots/plots.hpp"

namespace aliquot::evolving {
namespace {

std::string name_of(const OnlineVariant& variant) {
  return std::string(variant.policy) + (variant.evolving ? ", evolving" : ", rigid");
}

// Of one variant at one load: geometric means over the traces, and the worst of them.
struct OnlineFigures {
  double avg = 0, max = 0, worst = 0, hours = 0;
};

OnlineFigures figures_of(const OnlineStudy& study, Decimal load, std::size_t variant) {
  OnlineFigures sum;
  double count = 0;
  for (const OnlineTrace& trace : study.traces) {
    if (trace.load != load) continue;
    const OnlineRun& run = trace.runs[variant];
    sum.avg += std::log(run.avg_stretch);
    sum.max += std::log(run.max_stretch);
    sum.worst = std::max(sum.worst, run.max_stretch);
    sum.hours += to_seconds(run.makespan) / 3'600;
    ++count;
  }
  return {std::exp(sum.avg / count), std::exp(sum.max / count), sum.worst, sum.hours / count};
}

Table online_table(const OnlineStudy& study) {
  const OnlineOptions& options = study.options;
  Table table;
  table.title = "Evolving applications that arrive one after the other, " + std::to_string(options.traces) +
                " traces of " + std::to_string(options.jobs) + " jobs on " + std::to_string(options.nodes) +
                " nodes";
  table.columns = {"load: policy, submitted as", "avg stretch", "max stretch", "worst", "makespan, h"};
  for (const Decimal load : options.loads) {
    for (std::size_t k = 0; k < kOnlineVariants.size(); ++k) {
      const OnlineFigures f = figures_of(study, load, k);
      table.rows.push_back({to_text(load) + ": " + name_of(kOnlineVariants[k]), fixed(f.avg, 2),
                            fixed(f.max, 1), fixed(f.worst, 1), fixed(f.hours, 1)});
    }
  }
  table.note =
      "load: the area of the profiles, over that of the cluster while the jobs arrive. avg and max "
      "stretch: "
      "of a trace, relative to the duration of the profile; geometric means of the traces. worst: the "
      "largest of all. rigid: the most tasks of the profile for the whole time. A task takes the CPU of a "
      "node at full speed, and " +
      to_text(options.memory) + " of its memory; a resume or a move costs " + to_text(options.penalty) +
      " s.";
  return table;
}

std::string runs_csv(const OnlineStudy& study) {
  std::string text = "load,seed,policy,submitted_as,avg_bounded_stretch,max_bounded_stretch,makespan\n";
  for (const OnlineTrace& trace : study.traces) {
    for (std::size_t k = 0; k < kOnlineVariants.size(); ++k) {
      const OnlineRun& run = trace.runs[k];
      text += to_text(trace.load) + ',' + std::to_string(trace.seed) + ',' +
              std::string(kOnlineVariants[k].policy) + ',' +
              (kOnlineVariants[k].evolving ? "evolving," : "rigid,") + to_text(run.avg_stretch) + ',' +
              to_text(run.max_stretch) + ',' + to_text(run.makespan) + '\n';
    }
  }
  return text;
}

Page::Figure points(const OnlineStudy& study, const std::string& title, double OnlineFigures::*value) {
  CategoryPlot plot{title, title, {}, {}, std::nullopt};
  for (const Decimal load : study.options.loads) plot.categories.push_back("load " + to_text(load));
  for (std::size_t k = 0; k < kOnlineVariants.size(); ++k) {
    CategorySeries series{name_of(kOnlineVariants[k]), style_of("", k), {}};
    for (const Decimal load : study.options.loads)
      series.points.emplace_back(exactly(figures_of(study, load, k).*value));
    plot.series.push_back(std::move(series));
  }
  return {title, draw_wide(plot)};
}

std::string page_of(const OnlineStudy& study) {
  Page page("Evolving applications, online",
            "Applications that arrive one after the other and say beforehand how many nodes each of their "
            "steps needs (evolving), or ask for the most nodes that they ever need (rigid).");
  page.section("Stretch");
  page.wide_figure(points(study, "Average stretch", &OnlineFigures::avg));
  page.wide_figure(points(study, "Largest stretch", &OnlineFigures::max));
  page.section("Figures");
  page.table(online_table(study));
  page.provenance(
      {{"program", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")"},
       {"seeds", std::to_string(study.options.first_seed) + " to " +
                     std::to_string(study.options.first_seed + study.options.traces - 1)},
       {"source",
        "Klein and Perez, Towards Scheduling Evolving Applications, CoreGRID/ERCIM Workshop 2011"}});
  return std::move(page).finish();
}

}  // namespace

std::vector<Table> online_tables(const OnlineStudy& study) { return {online_table(study)}; }

std::vector<OutputFile> online_files(const OnlineStudy& study) {
  const Table table = online_table(study);
  return {{"runs.csv", runs_csv(study)},
          {"online.csv", as_csv(table)},
          {"tables.md", as_markdown(table)},
          {"report.html", page_of(study)}};
}

}  // namespace aliquot::evolving
