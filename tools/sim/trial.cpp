#include "tools/sim/trial.hpp"

#include <charconv>

#include "tools/sim/decimal.hpp"
#include "tools/sim/workload/csv_line.hpp"

namespace aliquot {
namespace {

constexpr std::array<std::string_view, kFigures> kNames = {
    "jobs",
    "skipped",
    "makespan",
    "max_bounded_stretch",
    "avg_bounded_stretch",
    "p95_bounded_stretch",
    "p99_bounded_stretch",
    "utilization",
    "underutilization",
    "preemptions",
    "migrations",
    "preempted_gb",
    "migrated_gb",
    "decisions",
    "decisions_few_jobs",
    "most_jobs",
    "decision_us_mean",
    "decision_us_p50",
    "decision_us_p99",
    "decision_us_max",
    "decision_us_mean_many_jobs",
    "wall_s",
};
constexpr std::size_t kFactors = 6;

bool wanted(Figure figure, Columns columns) {
  return columns == Columns::all || measured(figure) == (columns == Columns::measured);
}

}  // namespace

std::string name_of(const TrialKey& key) {
  std::string text = key.workload;
  if (!key.seed.empty()) text += " seed " + key.seed;
  if (!key.load.empty()) text += " load " + key.load;
  return text + " nodes " + key.nodes + ", " + key.policy + ", penalty " + key.penalty + " s";
}

std::string_view name_of(Figure figure) { return kNames[static_cast<std::size_t>(figure)]; }

const std::array<Figure, kFigures>& all_figures() {
  static const std::array<Figure, kFigures> figures = [] {
    std::array<Figure, kFigures> list{};
    for (std::size_t i = 0; i < kFigures; ++i) list[i] = static_cast<Figure>(i);
    return list;
  }();
  return figures;
}

std::string trial_header(Columns columns) {
  std::string text = "workload,seed,load,nodes,policy,penalty";
  for (const Figure figure : all_figures())
    if (wanted(figure, columns)) text.append(",").append(name_of(figure));
  return text;
}

std::string factors_line(const TrialKey& key) {
  return csv_field(key.workload) + ',' + csv_field(key.seed) + ',' + csv_field(key.load) + ',' +
         csv_field(key.nodes) + ',' + csv_field(key.policy) + ',' + csv_field(key.penalty);
}

std::string trial_line(const Trial& trial, Columns columns) {
  std::string text = factors_line(trial.key);
  for (const Figure figure : all_figures())
    if (wanted(figure, columns)) text += ',' + to_text(trial[figure]);
  return text;
}

Result<Trial> parse_trial(std::string_view line) {
  auto fields = split_csv(line);
  if (!fields) return tl::unexpected(fields.error());
  if (fields->size() != kFactors + kFigures) {
    return fail(ErrorKind::invalid_argument, std::to_string(fields->size()) + " fields instead of " +
                                                 std::to_string(kFactors + kFigures));
  }
  Trial trial;
  std::string* const factors[kFactors] = {&trial.key.workload, &trial.key.seed,   &trial.key.load,
                                          &trial.key.nodes,    &trial.key.policy, &trial.key.penalty};
  for (std::size_t i = 0; i < kFactors; ++i) *factors[i] = (*fields)[i];
  for (std::size_t i = 0; i < kFigures; ++i) {
    const std::string& text = (*fields)[kFactors + i];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), trial.figures[i]);
    if (error != std::errc{} || end != text.data() + text.size())
      return fail(ErrorKind::invalid_argument, std::string(kNames[i]) + ": '" + text + "' is no number");
  }
  return trial;
}

}  // namespace aliquot
