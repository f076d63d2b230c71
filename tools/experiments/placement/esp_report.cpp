// `evaluate esp`: Tables 6 and 7 of the first paper beside ours, and a page.
#include <algorithm>
#include <array>
#include <map>

#include "tools/experiments/placement/study_report.hpp"
#include "tools/experiments/plots/plots.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/drawing/standalone.hpp"
#include "tools/sim/generate/esp.hpp"
#include "tools/sim/workload/csv_line.hpp"

namespace aliquot {
namespace {

// Tables 6 and 7 of the paper (IPSCHED, sec. 6), measured on an emulated Slurm.

// Of jobs: mean and standard deviation.
struct PublishedSpread {
  double mean = 0;
  double deviation = 0;
};

struct PublishedEsp {
  const char* experiment;
  const char* what;
  const char* brief;  // for plots
  PublishedSpread wait_h;
  PublishedSpread slowdown;
  double utilization = 0;
  std::optional<PublishedSpread> packing;
};

// The name of an experiment is its number there.
constexpr std::array<PublishedEsp, 8> kPublishedEsp = {{
    {"1", "backfill, basic", "backfill", {1.60, 0.836}, {18.11, 25.49}, 0.90, std::nullopt},
    {"2", "IPSCHED p r, basic", "p r", {0.91, 1.224}, {11.31, 18.97}, 0.93, std::nullopt},
    {"3", "IPSCHED p, basic", "p", {0.77, 1.257}, {9.95, 18.87}, 0.92, std::nullopt},
    {"4", "backfill, multifactor", "backfill, multif.", {2.42, 1.758}, {22.75, 22.02}, 0.89, std::nullopt},
    {"5", "IPSCHED p, multifactor", "p, multif.", {0.88, 1.223}, {10.75, 18.20}, 0.94, std::nullopt},
    {"6", "IPSCHED p r, multifactor", "p r, multif.", {2.08, 1.577}, {22.06, 21.84}, 0.93, std::nullopt},
    {"7",
     "backfill, multifactor, sizes ±4",
     "backfill, ±4",
     {2.50, 1.802},
     {23.80, 22.93},
     0.88,
     {{1.021, 0.029}}},
    {"8",
     "IPSCHED p r, multifactor, sizes ±4",
     "p r, ±4",
     {1.09, 1.111},
     {13.12, 16.78},
     0.94,
     {{1.016, 0.026}}},
}};

const PublishedEsp& published(const Experiment& experiment) {
  return *std::ranges::find_if(kPublishedEsp,
                               [&](const PublishedEsp& row) { return experiment.name == row.experiment; });
}

std::string plus_minus(double mean, double deviation) { return shown(mean) + " ± " + shown(deviation); }

// Three decimals: packing factors differ in the third.
std::string fine(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

SeriesStyle style_at(const Study& study, std::size_t e) {
  SeriesStyle style = experiment_style(study.experiments[e].policy, e);
  // The same policy on other sizes.
  if (study.experiments[e].workload != "ESP") style.css = e % 2 == 0 ? "k2" : "k5";
  return style;
}

std::string dots(const Study& study, const std::string& name, Sample StudyOutcome::*of,
                 PublishedSpread PublishedEsp::*paper) {
  DotPlot plot{name + ", ours and the paper's", name, "here", "paper", {}};
  for (std::size_t e = 0; e < study.experiments.size(); ++e) {
    const PublishedEsp& said = published(study.experiments[e]);
    const double mean = (outcome_of(study.runs[e]).*of).mean;
    plot.rows.push_back({std::string(said.experiment) + "  " + said.brief, style_at(study, e),
                         exactly(mean), (said.*paper).mean});
  }
  return draw(plot);
}

// Mean wait by size: which jobs an experiment favours.
CategoryPlot waits_by_size(const Study& study) {
  CategoryPlot plot{"Mean waiting time by size of job", "mean wait, hours", {}, {}, std::nullopt};
  std::map<std::uint32_t, std::size_t> sizes;  // in whole nodes
  const auto nodes_of = [](const PlacedJob& job) { return (job.cores + 4) / 8; };
  for (const PlacedJob& job : study.runs.front().front().jobs) sizes[nodes_of(job)] = 0;
  for (auto& [nodes, position] : sizes) {
    position = plot.categories.size();
    plot.categories.push_back(std::to_string(nodes * 8));
  }
  for (std::size_t e = 0; e < study.experiments.size(); ++e) {
    std::vector<std::vector<double>> waits(sizes.size());
    for (const PlacementRun& run : study.runs[e])
      for (const PlacedJob& job : run.jobs)
        if (const auto size = sizes.find(nodes_of(job)); size != sizes.end())
          waits[size->second].push_back(job.wait_h);
    const PublishedEsp& said = published(study.experiments[e]);
    CategorySeries series{std::string(said.experiment) + "  " + said.brief, style_at(study, e), {}};
    for (const std::vector<double>& of_size : waits) {
      const double mean = sample_of(of_size).mean;
      series.points.push_back(of_size.empty() ? std::nullopt : std::optional(exactly(mean)));
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::string page_of(const Study& study) {
  Page page("ESP on CPU-GPU nodes",
            "458 jobs on 1,024 nodes of 8 cores and 2 GPUs: Slurm's backfill, one job at a time, against "
            "collective placement (IPSCHED). Beside the figures of the paper, which were measured on an "
            "emulated Slurm.");
  page.section("Tables 6 and 7");
  page.table(esp_table(study));
  page.section("Ours and the paper's");
  page.figures(
      {{"Mean waiting time, hours",
        dots(study, "mean wait, hours", &StudyOutcome::wait_h, &PublishedEsp::wait_h)},
       {"Mean slowdown", dots(study, "mean slowdown", &StudyOutcome::slowdown, &PublishedEsp::slowdown)}});
  page.section("Which jobs wait");
  page.paragraph(
      "Mean waiting time by the cores a job asks for. A sum of priorities favours small jobs, since many "
      "of them have more priorities than one large job has.");
  const CategoryPlot plot = waits_by_size(study);
  page.wide_figure({"Mean waiting time by size, hours", draw_wide(plot)}, legend_html(legend_of(plot)));
  page.provenance(study_facts(study));
  return std::move(page).finish();
}

std::string jobs_csv(const Study& study) {
  std::string text = "experiment,seed,job,type,cores,wait_h,slowdown,packing,fragmentation,spread\n";
  for (std::size_t e = 0; e < study.experiments.size(); ++e) {
    for (std::size_t s = 0; s < study.runs[e].size(); ++s) {
      std::size_t number = 0;
      for (const PlacedJob& job : study.runs[e][s].jobs) {
        text += study.experiments[e].name + ',' + std::to_string(study.first_seed + s) + ',' +
                std::to_string(++number) + ',' + job.type + ',' + std::to_string(job.cores) + ',' +
                to_text(job.wait_h) + ',' + to_text(job.slowdown) + ',' + to_text(job.packing) + ',' +
                to_text(job.fragmentation) + ',' + to_text(job.spread) + '\n';
      }
    }
  }
  return text;
}

}  // namespace

Table esp_table(const Study& study) {
  Table table;
  table.title = "Tables 6 and 7: ESP, " + std::to_string(study.seeds) + " seeds";
  table.columns = {"experiment",  "wait, h", "paper",          "slowdown", "paper",
                   "utilisation", "paper",   "packing factor", "paper",    "wait off by"};
  for (std::size_t e = 0; e < study.experiments.size(); ++e) {
    const PublishedEsp& said = published(study.experiments[e]);
    const StudyOutcome all = outcome_of(study.runs[e]);
    const double off = (all.wait_h.mean - said.wait_h.mean) / said.wait_h.deviation;
    table.rows.push_back(
        {std::string(said.experiment) + "  " + said.what, plus_minus(all.wait_h.mean, all.wait_h.deviation),
         plus_minus(said.wait_h.mean, said.wait_h.deviation),
         plus_minus(all.slowdown.mean, all.slowdown.deviation),
         plus_minus(said.slowdown.mean, said.slowdown.deviation), fine(all.utilization.mean),
         shown(said.utilization), fine(all.packing.mean) + " ± " + fine(all.packing.deviation),
         said.packing ? fine(said.packing->mean) + " ± " + fine(said.packing->deviation) : "-",
         shown(off)});
  }
  table.note =
      "Mean ± standard deviation over jobs; utilisation: ideal makespan (21,822 s) / makespan, mean over "
      "the "
      "seeds; wait off by: (ours - paper's) / the paper's deviation.";
  return table;
}

std::vector<OutputFile> esp_files(const Study& study) {
  const CategoryPlot plot = waits_by_size(study);
  std::vector<Panel> panels = {
      {"Mean waiting time, hours (ring: the paper's)",
       dots(study, "mean wait, hours", &StudyOutcome::wait_h, &PublishedEsp::wait_h)},
      {"Mean waiting time by cores asked for", draw(plot)}};
  return {{"esp.csv", outcomes_csv(study)},
          {"jobs.csv", jobs_csv(study)},
          {"esp.md", as_markdown(esp_table(study))},
          {"report.html", page_of(study)},
          {"esp.svg", standalone("ESP: waiting times, ours and the paper's", panels, 2, legend_of(plot))}};
}

}  // namespace aliquot
