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

double to_bound(const Comparison& comparison, const Cell& cell) {
  return cell[Figure::max_bounded_stretch] / *comparison.bound;
}

bool is_count(Figure figure) {
  constexpr Figure counts[] = {Figure::jobs,       Figure::skipped,   Figure::preemptions,
                               Figure::migrations, Figure::decisions, Figure::most_jobs};
  return std::ranges::find(counts, figure) != std::end(counts);
}

}  // namespace

double Comparison::best() const {
  if (cells.empty()) return 1;
  const auto stretch = [](const Cell& cell) { return cell[Figure::max_bounded_stretch]; };
  return stretch(*std::ranges::min_element(cells, {}, stretch));
}

Table as_table(const Comparison& comparison) {
  Table table;
  table.columns = {"policy", "max stretch", "mean", "p95", "/ best"};
  if (comparison.bound) table.columns.emplace_back("/ bound");
  for (const char* column : {"pauses", "moves", "used", "decision", "wall s"})
    table.columns.emplace_back(column);
  for (const Cell& cell : comparison.cells) {
    std::vector<std::string> row = {cell.key.policy, shown(cell[Figure::max_bounded_stretch]),
                                    shown(cell[Figure::avg_bounded_stretch]),
                                    shown(cell[Figure::p95_bounded_stretch]),
                                    shown(cell[Figure::max_bounded_stretch] / comparison.best())};
    if (comparison.bound) row.push_back(shown(to_bound(comparison, cell)));
    row.push_back(std::to_string(static_cast<std::uint64_t>(cell[Figure::preemptions])));
    row.push_back(std::to_string(static_cast<std::uint64_t>(cell[Figure::migrations])));
    row.push_back(shown(cell[Figure::utilization] * 100) + " %");
    row.push_back(shown(cell[Figure::decision_us_mean]) + " us");
    row.push_back(in_seconds(cell[Figure::wall_s]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table as_tidy(const Comparison& comparison) {
  Table table;
  table.columns = {"policy", "degradation", "to_bound"};
  for (const Figure figure : all_figures()) table.columns.emplace_back(name_of(figure));
  for (const Cell& cell : comparison.cells) {
    std::vector<std::string> row = {cell.key.policy,
                                    to_text(cell[Figure::max_bounded_stretch] / comparison.best()),
                                    comparison.bound ? to_text(to_bound(comparison, cell)) : ""};
    for (const Figure figure : all_figures()) row.push_back(to_text(cell[figure]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

nlohmann::ordered_json as_json(const Comparison& comparison) {
  auto list = nlohmann::ordered_json::array();
  for (const Cell& cell : comparison.cells) {
    nlohmann::ordered_json row = {{"policy", cell.key.policy},
                                  {"degradation", cell[Figure::max_bounded_stretch] / comparison.best()}};
    if (comparison.bound) row["to_bound"] = to_bound(comparison, cell);
    for (const Figure figure : all_figures()) {
      auto& field = row[std::string(name_of(figure))];
      if (is_count(figure))
        field = static_cast<std::uint64_t>(cell[figure]);
      else
        field = cell[figure];
    }
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace aliquot
