// A trial: one simulation of a comparison or a campaign, named by its factors (workload, policy, penalty,
// ...) and reduced to its figures. Every table of `compare`, `evaluate` and `sweep` is made of trials; a
// trial knows nothing of the campaign that it belongs to.
//
// The figures stand in one array, in the order of Figure, so that code which reads, writes, averages or
// compares them all names none of them. Units and formulas: GLOSSARY.md, "Columns of a trial".
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

// The factors, as texts: they name a row, and no two trials of a campaign have the same.
struct TrialKey {
  std::string workload;  // "dfrs", "week-007", a file
  std::string seed;      // empty: the workload has none
  std::string load;      // empty: as it is
  std::string nodes;
  std::string policy;   // canonical
  std::string penalty;  // seconds
  friend auto operator<=>(const TrialKey&, const TrialKey&) = default;
};
// "dfrs seed 3 load 0.7 nodes 128, EASY, penalty 300 s".
[[nodiscard]] std::string name_of(const TrialKey& key);

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
  // From here on measured times: another run of the program has others.
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
[[nodiscard]] const std::array<Figure, kFigures>& all_figures();

struct Trial {
  TrialKey key;
  std::array<double, kFigures> figures{};

  [[nodiscard]] double operator[](Figure figure) const { return figures[static_cast<std::size_t>(figure)]; }
  double& operator[](Figure figure) { return figures[static_cast<std::size_t>(figure)]; }
};

enum class Columns : std::uint8_t { all, repeatable, measured };

// Without the end of the line.
[[nodiscard]] std::string factors_line(const TrialKey& key);
[[nodiscard]] std::string trial_header(Columns columns);
[[nodiscard]] std::string trial_line(const Trial& trial, Columns columns);
// A line with all columns.
[[nodiscard]] Result<Trial> parse_trial(std::string_view line);

}  // namespace aliquot
