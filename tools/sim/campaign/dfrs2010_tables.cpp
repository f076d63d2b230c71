#include "tools/sim/campaign/dfrs2010_tables.hpp"

#include <algorithm>

#include "tools/sim/campaign/published.hpp"
#include "tools/sim/decimal.hpp"

namespace aliquot {
namespace {

// The paper's tables are for this penalty.
constexpr const char* kPublishedPenalty = "300";

std::string with_interval(const Sample& sample) {
  if (sample.count < 2) return shown(sample.mean);
  return shown(sample.mean) + " ± " + shown(sample.half_width);
}

const PublishedDegradation* paper_of(const std::string& policy, const Subset& subset) {
  const PublishedRow* row = subset.penalty == kPublishedPenalty ? published(policy) : nullptr;
  return row == nullptr ? nullptr : subset.scaled ? &row->scaled : &row->unscaled;
}

std::string or_dash(const double* value) { return value == nullptr ? "-" : shown(*value); }
std::string or_empty(const double* value) { return value == nullptr ? "" : to_text(*value); }

Table degradation_table(const std::vector<PolicySample>& rows, const Subset& subset) {
  Table table;
  table.title = std::string("Degradation from best, ") + (subset.scaled ? "scaled" : "unscaled") +
                " traces, penalty " + subset.penalty + " s (" + std::to_string(rows.front().sample.count) +
                " instances)";
  table.columns = {"algorithm", "avg", "paper", "std", "paper", "max", "paper"};
  for (const PolicySample& row : rows) {
    const PublishedDegradation* paper = paper_of(row.policy, subset);
    table.rows.push_back({row.policy, with_interval(row.sample), or_dash(paper ? &paper->avg : nullptr),
                          shown(row.sample.deviation), or_dash(paper ? &paper->std : nullptr),
                          shown(row.sample.most), or_dash(paper ? &paper->max : nullptr)});
  }
  return table;
}

void add_degradations(Table& tidy, const std::vector<PolicySample>& rows, const Subset& subset) {
  for (const PolicySample& row : rows) {
    const PublishedDegradation* paper = paper_of(row.policy, subset);
    const Sample& sample = row.sample;
    tidy.rows.push_back({subset.scaled ? "scaled" : "unscaled", subset.penalty, row.policy,
                         std::to_string(sample.count), to_text(sample.mean), to_text(sample.low()),
                         to_text(sample.high()), to_text(sample.deviation), to_text(sample.most),
                         or_empty(paper ? &paper->avg : nullptr), or_empty(paper ? &paper->std : nullptr),
                         or_empty(paper ? &paper->max : nullptr)});
  }
}

void report_degradations(Dfrs2010Report& report, const std::vector<Judged>& cells,
                         const std::vector<std::string>& policies,
                         const std::vector<std::string>& penalties) {
  Table tidy;
  tidy.columns = {"traces",   "penalty", "policy", "instances", "avg",       "avg_low",
                  "avg_high", "std",     "max",    "paper_avg", "paper_std", "paper_max"};
  for (const bool scaled : {true, false}) {
    for (const std::string& penalty : penalties) {
      const Subset subset{penalty, scaled};
      const auto rows = degradations(cells, subset, policies);
      if (rows.empty()) continue;
      report.degradations.push_back(degradation_table(rows, subset));
      add_degradations(tidy, rows, subset);
    }
  }
  report.csv.push_back({"table1.csv", as_csv(tidy)});
}

}  // namespace

Dfrs2010Report dfrs2010_report(const std::vector<Judged>& cells, const std::vector<std::string>& policies,
                               const std::vector<std::string>& penalties) {
  Dfrs2010Report report;
  report_degradations(report, cells, policies, penalties);
  return report;
}

}  // namespace aliquot
