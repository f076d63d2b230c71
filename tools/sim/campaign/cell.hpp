// One cell of a campaign: a workload under a policy at a penalty, and what the simulation came to.
//
// A row of every table is made of these; a cell knows nothing of the campaign it belongs to. The figures
// are kept by name in one array, so that reading, writing, averaging and comparing know no names. Units
// and formulas: GLOSSARY.md, "Columns of a campaign".
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

// The factors, as texts: what a row is called, and how cells are told apart.
struct CellKey {
  std::string workload;  // "dfrs", "week-007", a file
  std::string seed;      // empty: the workload has none
  std::string load;      // empty: as it is
  std::string nodes;
  std::string policy;   // canonical
  std::string penalty;  // seconds
  friend auto operator<=>(const CellKey&, const CellKey&) = default;
};
// "dfrs seed 3 load 0.7 nodes 128, EASY, penalty 300 s".
[[nodiscard]] std::string name_of(const CellKey& key);

enum class Figure : std::uint8_t {
  jobs,
  skipped,
  makespan,
  max_bounded_stretch,
  avg_bounded_stretch,
  p95_bounded_stretch,
  p99_bounded_stretch,
  utilization,
  underutilization,
  preemptions,
  migrations,
  preempted_gb,
  migrated_gb,
  decisions,
  decisions_few_jobs,  // share of them over ten jobs or fewer (DFRS, V)
  most_jobs,
  // Measured: another run has others.
  first_measured,
  decision_us_mean = first_measured,
  decision_us_p50,
  decision_us_p99,
  decision_us_max,
  decision_us_mean_many_jobs,
  wall_s,
  count,
};
inline constexpr std::size_t kFigures = static_cast<std::size_t>(Figure::count);
[[nodiscard]] constexpr bool measured(Figure figure) { return figure >= Figure::first_measured; }
[[nodiscard]] std::string_view name_of(Figure figure);
// In their order.
[[nodiscard]] const std::array<Figure, kFigures>& all_figures();

struct Cell {
  CellKey key;
  std::array<double, kFigures> figures{};

  [[nodiscard]] double operator[](Figure figure) const { return figures[static_cast<std::size_t>(figure)]; }
  double& operator[](Figure figure) { return figures[static_cast<std::size_t>(figure)]; }
};

enum class Columns : std::uint8_t { all, repeatable, measured };

// Without the end of the line.
[[nodiscard]] std::string factors_line(const CellKey& key);
[[nodiscard]] std::string cell_header(Columns columns);
[[nodiscard]] std::string cell_line(const Cell& cell, Columns columns);
// A line with all columns.
[[nodiscard]] Result<Cell> parse_cell(std::string_view line);

}  // namespace aliquot
