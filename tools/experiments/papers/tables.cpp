#include "tools/experiments/papers/tables.hpp"

#include <algorithm>

#include "tools/experiments/papers/published.hpp"
#include "tools/sim/decimal.hpp"

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

std::vector<Trial> trials_in(const Scope& scope, const Subset& subset) {
  std::vector<Trial> trials;
  for (const RatedTrial& rated : scope.trials) {
    const TrialKey& key = rated.trial.key;
    if (key.penalty == subset.penalty && traces_of(key) == subset.traces) trials.push_back(rated.trial);
  }
  return trials;
}

std::vector<std::string> sample_fields(const Sample& sample) {
  return {std::to_string(sample.count), to_text(sample.mean),      to_text(sample.low()),
          to_text(sample.high()),       to_text(sample.deviation), to_text(sample.most)};
}

void append(std::vector<std::string>& row, const std::vector<std::string>& fields) {
  row.insert(row.end(), fields.begin(), fields.end());
}

constexpr std::array<const char*, 6> kCosts = {"preempted_gb_per_s",   "migrated_gb_per_s",
                                               "preemptions_per_hour", "migrations_per_hour",
                                               "preemptions_per_job",  "migrations_per_job"};

}  // namespace

std::vector<Subset> Scope::subsets() const {
  std::vector<Subset> list;
  for (const Traces traces : {Traces::scaled, Traces::unscaled, Traces::weeks}) {
    for (const std::string& penalty : penalties) {
      const bool any = std::ranges::any_of(trials, [&](const RatedTrial& rated) {
        return rated.trial.key.penalty == penalty && traces_of(rated.trial.key) == traces;
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
  const auto rows = degradations(scope.trials, subset, scope.policies);
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
  for (const Costs& row : costs(scope.trials, subset, scope.policies)) {
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
  const auto list = curves(scope.trials, penalty, scope.policies);
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
  for (const DecisionRow& row : decision_times(scope.trials, scope.policies)) {
    table.rows.push_back({row.policy, shown(row.decisions), shown(row.few_jobs * 100) + " %",
                          shown(row.most_jobs), shown(row.mean_us), shown(row.many_jobs_us),
                          shown(row.p99_us), shown(row.max_us)});
  }
  return table;
}

Table paired_table(const Scope& scope, const Subset& subset) {
  const auto rows = degradations(scope.trials, subset, scope.policies);
  Table table;
  if (rows.empty()) return table;
  const std::string best =
      std::ranges::min_element(rows, {}, [](const PolicySample& row) { return row.sample.mean; })->policy;
  table.title = "Max stretch against " + best + ", instance by instance: " + about(subset);
  table.columns = {"algorithm", "ratio", "95 % interval", "better", "worse", "equal"};
  for (Paired pair : paired(trials_in(scope, subset), scope.policies)) {
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

std::string degradation_csv(const Scope& scope) {
  Table tidy;
  tidy.columns = {"traces",   "penalty", "policy", "instances", "avg",       "avg_low",
                  "avg_high", "std",     "max",    "paper_avg", "paper_std", "paper_max"};
  for (const Subset& subset : scope.subsets()) {
    for (const PolicySample& row : degradations(scope.trials, subset, scope.policies)) {
      std::vector<std::string> fields = {std::string(name_of(subset.traces)), subset.penalty, row.policy};
      append(fields, sample_fields(row.sample));
      const PublishedDegradation* paper = published_for(row.policy, subset);
      append(fields, paper ? std::vector{to_text(paper->avg), to_text(paper->std), to_text(paper->max)}
                           : std::vector<std::string>(3));
      tidy.rows.push_back(std::move(fields));
    }
  }
  return as_csv(tidy);
}

std::string cost_csv(const Scope& scope) {
  Table tidy;
  tidy.columns = {"traces",  "penalty",  "policy", "figure", "instances", "avg",
                  "avg_low", "avg_high", "std",    "max",    "paper_avg", "paper_max"};
  for (const Subset& subset : scope.subsets()) {
    const bool known = subset.traces == Traces::scaled && subset.penalty == "300";
    for (const Costs& row : costs(scope.trials, subset, scope.policies)) {
      const PublishedRow* paper = known ? published(row.policy) : nullptr;
      for (std::size_t i = 0; i < kCosts.size(); ++i) {
        std::vector<std::string> fields = {std::string(name_of(subset.traces)), subset.penalty, row.policy,
                                           kCosts[i]};
        append(fields, sample_fields(row.figures[i]));
        append(fields, paper && paper->costs ? std::vector{to_text(paper->costs->figures[i].avg),
                                                           to_text(paper->costs->figures[i].max)}
                                             : std::vector<std::string>(2));
        tidy.rows.push_back(std::move(fields));
      }
    }
  }
  return as_csv(tidy);
}

std::string curve_csv(const Scope& scope) {
  Table tidy;
  tidy.columns = {"penalty", "load", "policy", "instances", "avg", "avg_low", "avg_high", "std", "max"};
  for (const std::string& penalty : scope.penalties) {
    for (const Curve& curve : curves(scope.trials, penalty, scope.policies)) {
      for (const CurvePoint& point : curve.points) {
        std::vector<std::string> fields = {penalty, to_text(point.load), curve.policy};
        append(fields, sample_fields(point.sample));
        tidy.rows.push_back(std::move(fields));
      }
    }
  }
  return as_csv(tidy);
}

std::string time_csv(const Scope& scope) {
  Table tidy;
  tidy.columns = {"policy",  "decisions",         "share_few_jobs", "most_jobs",
                  "mean_us", "mean_many_jobs_us", "p99_us",         "max_us"};
  for (const DecisionRow& row : decision_times(scope.trials, scope.policies)) {
    tidy.rows.push_back({row.policy, to_text(row.decisions), to_text(row.few_jobs), to_text(row.most_jobs),
                         to_text(row.mean_us), to_text(row.many_jobs_us), to_text(row.p99_us),
                         to_text(row.max_us)});
  }
  return as_csv(tidy);
}

std::string paired_csv(const Scope& scope) {
  Table tidy;
  tidy.columns = {"traces", "penalty",   "a",          "b",        "instances",
                  "ratio",  "ratio_low", "ratio_high", "a_better", "b_better"};
  for (const Subset& subset : scope.subsets()) {
    std::vector<Trial> trials;
    for (const RatedTrial& rated : scope.trials) {
      const TrialKey& key = rated.trial.key;
      if (key.penalty == subset.penalty && traces_of(key) == subset.traces) trials.push_back(rated.trial);
    }
    for (const Paired& pair : paired(trials, scope.policies)) {
      tidy.rows.push_back({std::string(name_of(subset.traces)), subset.penalty, pair.a, pair.b,
                           std::to_string(pair.instances), to_text(pair.ratio), to_text(pair.low),
                           to_text(pair.high), std::to_string(pair.a_better),
                           std::to_string(pair.b_better)});
    }
  }
  return as_csv(tidy);
}

}  // namespace aliquot
