#include "tools/sim/campaign/papers/tables.hpp"

#include <algorithm>

#include "tools/sim/campaign/papers/published.hpp"

namespace aliquot {
namespace {

std::string with_interval(const Sample& sample) {
  if (sample.count < 2) return shown(sample.mean);
  return shown(sample.mean) + " ± " + shown(sample.half_width);
}

std::string about(const Subset& subset) {
  const std::string traces =
      subset.traces == Traces::weeks ? "weeks of HPC2N" : std::string(name_of(subset.traces)) + " traces";
  return traces + ", penalty " + subset.penalty + " s";
}

// "0.5 (1.3)": the average, and the maximum.
std::string avg_max(double avg, double max) { return shown(avg) + " (" + shown(max) + ")"; }

std::vector<Cell> cells_in(const Scope& scope, const Subset& subset) {
  std::vector<Cell> cells;
  for (const Judged& judged : scope.cells) {
    const CellKey& key = judged.cell.key;
    if (key.penalty == subset.penalty && traces_of(key) == subset.traces) cells.push_back(judged.cell);
  }
  return cells;
}

}  // namespace

std::vector<Subset> Scope::subsets() const {
  std::vector<Subset> list;
  for (const Traces traces : {Traces::scaled, Traces::unscaled, Traces::weeks}) {
    for (const std::string& penalty : penalties) {
      const bool any = std::ranges::any_of(cells, [&](const Judged& judged) {
        return judged.cell.key.penalty == penalty && traces_of(judged.cell.key) == traces;
      });
      if (any) list.push_back({traces, penalty});
    }
  }
  return list;
}

const PublishedDegradation* published_for(const std::string& policy, const Subset& subset) {
  const PublishedRow* row = subset.penalty == "300" ? published(policy) : nullptr;
  if (row == nullptr) return nullptr;
  switch (subset.traces) {
    case Traces::scaled:
      return &row->scaled;
    case Traces::unscaled:
      return &row->unscaled;
    case Traces::weeks:
      return &row->hpc2n;
  }
  return nullptr;
}

Table degradation_table(const Scope& scope, const Subset& subset) {
  const auto rows = degradations(scope.cells, subset, scope.policies);
  Table table;
  table.title = "Degradation from best: " + about(subset);
  if (!rows.empty()) table.title += " (" + std::to_string(rows.front().sample.count) + " instances)";
  const bool paper = std::ranges::any_of(
      rows, [&](const PolicySample& row) { return published_for(row.policy, subset) != nullptr; });
  if (paper)
    table.columns = {"algorithm", "avg", "paper", "std", "paper", "max", "paper"};
  else
    table.columns = {"algorithm", "avg", "std", "max"};
  for (const PolicySample& row : rows) {
    const Sample& sample = row.sample;
    if (!paper) {
      table.rows.push_back(
          {row.policy, with_interval(sample), shown(sample.deviation), shown(sample.most)});
      continue;
    }
    const PublishedDegradation* theirs = published_for(row.policy, subset);
    table.rows.push_back({row.policy, with_interval(sample), theirs ? shown(theirs->avg) : "-",
                          shown(sample.deviation), theirs ? shown(theirs->std) : "-", shown(sample.most),
                          theirs ? shown(theirs->max) : "-"});
  }
  return table;
}

Table cost_table(const Scope& scope, const Subset& subset) {
  Table table;
  table.title = "Costs: " + about(subset);
  if (subset.traces == Traces::scaled) table.title += ", loads of 0.7 and more";
  table.title += "; averages (maxima)";
  table.columns = {"algorithm",  "pmtn GB/s",  "mig GB/s", "pmtn / hour",
                   "mig / hour", "pmtn / job", "mig / job"};
  const bool paper = subset.traces == Traces::scaled && subset.penalty == "300";
  for (const Costs& row : costs(scope.cells, subset, scope.policies)) {
    std::vector<std::string> ours = {row.policy};
    for (const Sample& sample : row.figures) ours.push_back(avg_max(sample.mean, sample.most));
    table.rows.push_back(std::move(ours));
    const PublishedRow* known = paper ? published(row.policy) : nullptr;
    if (known == nullptr || known->costs == nullptr) continue;
    std::vector<std::string> theirs = {"paper"};
    for (const PublishedMean& figure : known->costs->figures)
      theirs.push_back(avg_max(figure.avg, figure.max));
    table.rows.push_back(std::move(theirs));
  }
  return table;
}

Table curve_table(const Scope& scope, const std::string& penalty) {
  Table table;
  table.title = "Average degradation by load, penalty " + penalty + " s";
  table.columns = {"algorithm"};
  const auto list = curves(scope.cells, penalty, scope.policies);
  for (const Curve& curve : list) {
    std::vector<std::string> row = {curve.policy};
    for (const CurvePoint& point : curve.points) row.push_back(shown(point.sample.mean));
    table.rows.push_back(std::move(row));
  }
  if (!list.empty())
    for (const CurvePoint& point : list.front().points) table.columns.push_back(shown(point.load));
  return table;
}

Table time_table(const Scope& scope) {
  Table table;
  table.title = "Time of a decision, microseconds";
  table.columns = {"algorithm", "decisions", "for <= 10 jobs", "most jobs", "mean", "mean, > 10 jobs",
                   "p99",       "max"};
  for (const DecisionRow& row : decision_times(scope.cells, scope.policies)) {
    table.rows.push_back({row.policy, shown(row.decisions), shown(row.few_jobs * 100) + " %",
                          shown(row.most_jobs), shown(row.mean_us), shown(row.many_jobs_us),
                          shown(row.p99_us), shown(row.max_us)});
  }
  return table;
}

Table paired_table(const Scope& scope, const Subset& subset) {
  const auto rows = degradations(scope.cells, subset, scope.policies);
  Table table;
  if (rows.empty()) return table;
  const std::string best =
      std::ranges::min_element(rows, {}, [](const PolicySample& row) { return row.sample.mean; })->policy;
  table.title = "Max stretch against " + best + ", instance by instance: " + about(subset);
  table.columns = {"algorithm", "ratio", "95 % interval", "better", "worse", "equal"};
  for (Paired pair : paired(cells_in(scope, subset), scope.policies)) {
    if (pair.a != best && pair.b != best) continue;
    if (pair.a == best) {
      std::swap(pair.a, pair.b);
      std::swap(pair.a_better, pair.b_better);
      pair = {pair.a,        pair.b,       pair.instances, 1 / pair.ratio,
              1 / pair.high, 1 / pair.low, pair.a_better,  pair.b_better};
    }
    table.rows.push_back({pair.a, shown(pair.ratio), shown(pair.low) + " - " + shown(pair.high),
                          std::to_string(pair.a_better), std::to_string(pair.b_better),
                          std::to_string(pair.instances - pair.a_better - pair.b_better)});
  }
  return table;
}

}  // namespace aliquot
