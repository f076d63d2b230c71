#include "tools/experiments/evolving/evolving_report.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>

#include "monitor/provenance.hpp"
#include "tools/experiments/campaign/statistics.hpp"
#include "tools/experiments/evolving/published.hpp"
#include "tools/experiments/plots/plots.hpp"
#include "tools/sim/decimal.hpp"

namespace aliquot::evolving {
namespace {

constexpr std::array<std::string_view, kMeasures> kMeasureNames = {"waste, %",
                                                                   "utilisation, % of rigid",
                                                                   "effective utilisation, %",
                                                                   "makespan, % of rigid",
                                                                   "completion, % of rigid",
                                                                   "waiting, % of rigid",
                                                                   "expanded, %",
                                                                   "expansion, %",
                                                                   "application waste, %"};

std::string name_of(Measure measure) {
  return std::string(kMeasureNames[static_cast<std::size_t>(measure)]);
}

std::string one_place(double value, bool sign = false) {
  const double rounded = std::round(value * 10) / 10 + 0.0;  // no -0.0
  char text[32];
  std::snprintf(text, sizeof text, sign ? "%+.1f" : "%.1f", rounded);
  return text;
}

std::string as_printed(double value) {
  return value == kEpsilon ? "ε" : std::to_string(std::lround(value));
}

Sample sample(const EvolvingStudy& study, std::size_t algorithm, Measure measure) {
  std::vector<double> all;
  for (const TestOutcome& test : study.tests) {
    const std::vector<double>& own = test.measured[algorithm][static_cast<std::size_t>(measure)];
    all.insert(all.end(), own.begin(), own.end());
  }
  return sample_of(all);
}

Table comparison(const EvolvingStudy& study, const std::string& title,
                 std::span<const PublishedMeasure> published) {
  Table table;
  table.title = title + ", " + std::to_string(study.options.tests) + " tests on " +
                std::to_string(study.options.nodes) + " nodes";
  table.columns = {"measure: algorithm", "min",       "avg",       "max",
                   "paper min",          "paper avg", "paper max", "off by"};
  for (const auto& [measure, rows] : published) {
    for (std::size_t k = 0; k < kAlgorithms.size(); ++k) {
      const Sample ours = sample(study, k, measure);
      table.rows.push_back({name_of(measure) + ": " + std::string(kAlgorithms[k].name),
                            one_place(ours.least), one_place(ours.mean), one_place(ours.most),
                            as_printed(rows[k].least), as_printed(rows[k].average),
                            as_printed(rows[k].most), one_place(ours.mean - rows[k].average, true)});
    }
  }
  return table;
}

Table system_table(const EvolvingStudy& study) {
  Table table = comparison(study, "Table 1: what the administrator sees", kTable1);
  table.note =
      "waste: (allocated - useful) / useful area; effective utilisation: useful area / (nodes x makespan); "
      "the others: of rigid's in the same test. off by: our average - the paper's, in points. The paper's "
      "averages are truncated (58.9 is printed as 58; ε is above 0 and below 1), so that 0.0 to 0.9 is "
      "agreement.";
  return table;
}

Table user_table(const EvolvingStudy& study) {
  Table table = comparison(study, "Table 2: what users see", kTable2);
  table.note =
      "completion, waiting: mean over the applications of a test, of rigid's; expanded: of the "
      "applications "
      "of a test. expansion and waste are of each application; their maxima are those of single "
      "applications and grow with the number of tests (the paper has 1,000).";
  return table;
}

double ratio(Duration part, Duration whole) { return to_seconds(part) / to_seconds(whole); }

struct OrderRow {
  std::string name;
  Sample makespan;    // / bound
  Sample completion;  // / that of the order of submission
};

std::string name_of(const OrderStrategy& strategy, const EvolvingOptions& options) {
  const std::string name(strategy.name);
  if (strategy.search == OrderSearch::none) return name;
  return std::to_string(strategy.search == OrderSearch::random ? options.orders : options.insertions) +
         " " + name;
}

std::vector<OrderRow> order_rows(const EvolvingStudy& study) {
  std::vector<OrderRow> rows;
  for (std::size_t k = 0; k < kOrderStrategies.size(); ++k) {
    std::vector<double> makespans, completions;
    for (const TestOutcome& test : study.tests) {
      makespans.push_back(ratio(test.orders->ends[k].makespan, test.orders->bound));
      completions.push_back(ratio(test.orders->ends[k].completion, test.orders->ends[0].completion));
    }
    rows.push_back(
        {name_of(kOrderStrategies[k], study.options), sample_of(makespans), sample_of(completions)});
  }
  return rows;
}

std::string thousandths(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

Table order_table(const EvolvingStudy& study) {
  Table table;
  table.title =
      "What a better order of the list brings, noX, " + std::to_string(study.options.tests) + " tests";
  table.columns = {"order", "makespan / bound", "min", "max", "completion / submission's", "min", "max"};
  for (const OrderRow& row : order_rows(study))
    table.rows.push_back({row.name, thousandths(row.makespan.mean), thousandths(row.makespan.least),
                          thousandths(row.makespan.most), thousandths(row.completion.mean),
                          thousandths(row.completion.least), thousandths(row.completion.most)});
  table.note =
      "bound: no schedule of the test has a shorter makespan, with or without expansion. completion: mean "
      "completion time of the applications of a test. An insertion moves one application to another place "
      "of the list, and is kept unless it is worse.";
  return table;
}

std::string tests_csv(const EvolvingStudy& study) {
  std::string text = "seed,algorithm";
  for (std::size_t m = 0; m < static_cast<std::size_t>(Measure::expansion); ++m)
    text += ',' + std::string(kMeasureNames[m].substr(0, kMeasureNames[m].find(',')));
  text += '\n';
  for (std::size_t t = 0; t < study.tests.size(); ++t) {
    for (std::size_t k = 0; k < kAlgorithms.size(); ++k) {
      text += std::to_string(study.options.first_seed + t) + ',' + std::string(kAlgorithms[k].name);
      for (std::size_t m = 0; m < static_cast<std::size_t>(Measure::expansion); ++m)
        text += ',' + to_text(study.tests[t].measured[k][m].front());
      text += '\n';
    }
  }
  return text;
}

Page::Figure dots(const EvolvingStudy& study, const PublishedMeasure& published) {
  const std::string name = name_of(published.measure);
  DotPlot plot{name + ", ours and the paper's", name, "here", "paper", {}};
  for (std::size_t k = 0; k < kAlgorithms.size(); ++k)
    plot.rows.push_back({std::string(kAlgorithms[k].name), style_of("", k),
                         mean_of(sample(study, k, published.measure)), published.rows[k].average});
  return {name, draw(plot)};
}

Page::Figure order_dots(const EvolvingStudy& study) {
  DotPlot plot{"makespan over its bound, by the order of the list", "makespan / bound", "here", "", {}};
  const std::vector<OrderRow> rows = order_rows(study);
  for (std::size_t k = 0; k < rows.size(); ++k)
    plot.rows.push_back({rows[k].name, style_of("", k), mean_of(rows[k].makespan), std::nullopt});
  return {"Makespan over its bound", draw(plot)};
}

std::string page_of(const EvolvingStudy& study) {
  Page page("Evolving applications",
            "Applications that say beforehand how many nodes each of their steps needs, scheduled offline: "
            "with the most nodes for the whole time (rigid), step by step (noX), and with steps that may "
            "hold their nodes for longer (2X, infX; +c: compacted). Rings are the figures of the paper.");
  page.section("Ours and the paper's");
  page.figures(
      {dots(study, kTable1[2]), dots(study, kTable1[3]), dots(study, kTable2[0]), dots(study, kTable2[1])});
  page.section("Tables 1 and 2");
  page.table(system_table(study));
  page.table(user_table(study));
  if (study.options.insertions > 0) {
    page.section("Orders of the list");
    page.wide_figure(order_dots(study));
    page.table(order_table(study));
  }
  page.provenance(
      {{"program", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")"},
       {"seeds", std::to_string(study.options.first_seed) + " to " +
                     std::to_string(study.options.first_seed + study.options.tests - 1)},
       {"nodes", std::to_string(study.options.nodes)},
       {"source",
        "Klein and Perez, Towards Scheduling Evolving Applications, CoreGRID/ERCIM Workshop 2011"}});
  return std::move(page).finish();
}

}  // namespace

std::vector<Table> evolving_tables(const EvolvingStudy& study) {
  std::vector<Table> tables = {system_table(study), user_table(study)};
  if (study.options.insertions > 0) tables.push_back(order_table(study));
  return tables;
}

std::vector<OutputFile> evolving_files(const EvolvingStudy& study) {
  const std::array<std::string, 3> names = {"table1.csv", "table2.csv", "orders.csv"};
  std::vector<OutputFile> files = {{"tests.csv", tests_csv(study)}};
  std::string markdown;
  const std::vector<Table> tables = evolving_tables(study);
  for (std::size_t k = 0; k < tables.size(); ++k) {
    files.push_back({names[k], as_csv(tables[k])});
    markdown += (k > 0 ? "\n" : "") + as_markdown(tables[k]);
  }
  files.push_back({"tables.md", markdown});
  files.push_back({"report.html", page_of(study)});
  return files;
}

}  // namespace aliquot::evolving
