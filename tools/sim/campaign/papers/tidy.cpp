// The tidy CSV of tables.hpp: full precision, one observation a row.
#include "tools/sim/campaign/papers/published.hpp"
#include "tools/sim/campaign/papers/tables.hpp"
#include "tools/sim/decimal.hpp"

namespace aliquot {
namespace {

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

std::string degradation_csv(const Scope& scope) {
  Table tidy;
  tidy.columns = {"traces",   "penalty", "policy", "instances", "avg",       "avg_low",
                  "avg_high", "std",     "max",    "paper_avg", "paper_std", "paper_max"};
  for (const Subset& subset : scope.subsets()) {
    for (const PolicySample& row : degradations(scope.cells, subset, scope.policies)) {
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
    for (const Costs& row : costs(scope.cells, subset, scope.policies)) {
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
    for (const Curve& curve : curves(scope.cells, penalty, scope.policies)) {
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
  for (const DecisionRow& row : decision_times(scope.cells, scope.policies)) {
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
    std::vector<Cell> cells;
    for (const Judged& judged : scope.cells) {
      const CellKey& key = judged.cell.key;
      if (key.penalty == subset.penalty && traces_of(key) == subset.traces) cells.push_back(judged.cell);
    }
    for (const Paired& pair : paired(cells, scope.policies)) {
      tidy.rows.push_back({std::string(name_of(subset.traces)), subset.penalty, pair.a, pair.b,
                           std::to_string(pair.instances), to_text(pair.ratio), to_text(pair.low),
                           to_text(pair.high), std::to_string(pair.a_better),
                           std::to_string(pair.b_better)});
    }
  }
  return as_csv(tidy);
}

}  // namespace aliquot
