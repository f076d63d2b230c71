#include "tools/sim/compare/comparison.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/sim/decimal.hpp"

namespace aliquot {
namespace {

std::string in_seconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

double to_bound(const Comparison& comparison, const Trial& trial) {
  return trial[Figure::max_bounded_stretch] / *comparison.bound;
}

bool is_count(Figure figure) {
  constexpr Figure counts[] = {Figure::jobs,       Figure::skipped,   Figure::preemptions,
                               Figure::migrations, Figure::decisions, Figure::most_jobs};
  return std::ranges::find(counts, figure) != std::end(counts);
}

}  // namespace

double Comparison::best() const {
  if (trials.empty()) return 1;
  const auto stretch = [](const Trial& trial) { return trial[Figure::max_bounded_stretch]; };
  return stretch(*std::ranges::min_element(trials, {}, stretch));
}

Table as_table(const Comparison& comparison) {
  Table table;
  table.columns = {"policy", "max stretch", "mean", "p95", "/ best"};
  if (comparison.bound) table.columns.emplace_back("/ bound");
  for (const char* column : {"pauses", "moves", "used", "decision", "wall s"})
    table.columns.emplace_back(column);
  for (const Trial& trial : comparison.trials) {
    std::vector<std::string> row = {trial.key.policy, shown(trial[Figure::max_bounded_stretch]),
                                    shown(trial[Figure::avg_bounded_stretch]),
                                    shown(trial[Figure::p95_bounded_stretch]),
                                    shown(trial[Figure::max_bounded_stretch] / comparison.best())};
    if (comparison.bound) row.push_back(shown(to_bound(comparison, trial)));
    row.push_back(std::to_string(static_cast<std::uint64_t>(trial[Figure::preemptions])));
    row.push_back(std::to_string(static_cast<std::uint64_t>(trial[Figure::migrations])));
    row.push_back(shown(trial[Figure::utilization] * 100) + " %");
    row.push_back(shown(trial[Figure::decision_us_mean]) + " us");
    row.push_back(in_seconds(trial[Figure::wall_s]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table as_tidy(const Comparison& comparison) {
  Table table;
  table.columns = {"policy", "degradation", "to_bound"};
  for (const Figure figure : all_figures()) table.columns.emplace_back(name_of(figure));
  for (const Trial& trial : comparison.trials) {
    std::vector<std::string> row = {trial.key.policy,
                                    to_text(trial[Figure::max_bounded_stretch] / comparison.best()),
                                    comparison.bound ? to_text(to_bound(comparison, trial)) : ""};
    for (const Figure figure : all_figures()) row.push_back(to_text(trial[figure]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

nlohmann::ordered_json as_json(const Comparison& comparison) {
  auto list = nlohmann::ordered_json::array();
  for (const Trial& trial : comparison.trials) {
    nlohmann::ordered_json row = {{"policy", trial.key.policy},
                                  {"degradation", trial[Figure::max_bounded_stretch] / comparison.best()}};
    if (comparison.bound) row["to_bound"] = to_bound(comparison, trial);
    for (const Figure figure : all_figures()) {
      auto& field = row[std::string(name_of(figure))];
      if (is_count(figure))
        field = static_cast<std::uint64_t>(trial[figure]);
      else
        field = trial[figure];
    }
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace aliquot
