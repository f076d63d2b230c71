#include "tools/experiments/papers/figures.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace aliquot {
namespace {

double number(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool in(const TrialKey& key, const Subset& subset) {
  return key.penalty == subset.penalty && traces_of(key) == subset.traces;
}

std::array<double, 6> costs_of(const Trial& trial) {
  const double span = std::max(trial[Figure::makespan], 1e-6);
  const double jobs = std::max(trial[Figure::jobs], 1.0);
  return {trial[Figure::preempted_gb] / span,       trial[Figure::migrated_gb] / span,
          trial[Figure::preemptions] / span * 3600, trial[Figure::migrations] / span * 3600,
          trial[Figure::preemptions] / jobs,        trial[Figure::migrations] / jobs};
}

}  // namespace

std::string_view name_of(Traces traces) {
  switch (traces) {
    case Traces::scaled:
      return "scaled";
    case Traces::unscaled:
      return "unscaled";
    case Traces::weeks:
      return "HPC2N";
  }
  return "";
}

Traces traces_of(const TrialKey& key) {
  if (!key.load.empty()) return Traces::scaled;
  return key.seed.empty() ? Traces::weeks : Traces::unscaled;
}

std::vector<PolicySample> degradations(const std::vector<RatedTrial>& trials, const Subset& subset,
                                       const std::vector<std::string>& policies) {
  std::map<std::string, Groups> values;
  for (const RatedTrial& rated : trials) {
    const TrialKey& key = rated.trial.key;
    if (in(key, subset)) values[key.policy][key.workload + key.seed].push_back(rated.degradation);
  }
  std::vector<PolicySample> rows;
  for (const std::string& policy : policies)
    if (values.contains(policy)) rows.push_back({policy, clustered(values.at(policy))});
  return rows;
}

std::vector<Curve> curves(const std::vector<RatedTrial>& trials, const std::string& penalty,
                          const std::vector<std::string>& policies) {
  std::map<std::string, std::map<double, std::vector<double>>> values;
  for (const RatedTrial& rated : trials) {
    const TrialKey& key = rated.trial.key;
    if (in(key, {Traces::scaled, penalty}))
      values[key.policy][number(key.load)].push_back(rated.degradation);
  }
  std::vector<Curve> list;
  for (const std::string& policy : policies) {
    if (!values.contains(policy)) continue;
    Curve curve{policy, {}};
    for (const auto& [load, at] : values.at(policy)) curve.points.push_back({load, sample_of(at)});
    list.push_back(std::move(curve));
  }
  return list;
}

std::vector<Costs> costs(const std::vector<RatedTrial>& trials, const Subset& subset,
                         const std::vector<std::string>& policies) {
  std::map<std::string, std::array<Groups, 6>> values;
  for (const RatedTrial& rated : trials) {
    const TrialKey& key = rated.trial.key;
    if (!in(key, subset)) continue;
    if (subset.traces == Traces::scaled && number(key.load) < kHighLoad - 1e-9) continue;
    const std::array<double, 6> figures = costs_of(rated.trial);
    for (std::size_t i = 0; i < figures.size(); ++i)
      values[key.policy][i][key.workload + key.seed].push_back(figures[i]);
  }
  std::vector<Costs> rows;
  for (const std::string& policy : policies) {
    const auto found = values.find(policy);
    if (found == values.end()) continue;
    Costs row{policy, {}};
    for (std::size_t i = 0; i < row.figures.size(); ++i) row.figures[i] = clustered(found->second[i]);
    if (row.figures[4].most > 0 || row.figures[5].most > 0) rows.push_back(row);
  }
  return rows;
}

std::vector<DecisionRow> decision_times(const std::vector<RatedTrial>& trials,
                                        const std::vector<std::string>& policies) {
  const bool unscaled = std::ranges::any_of(
      trials, [](const RatedTrial& rated) { return traces_of(rated.trial.key) == Traces::unscaled; });
  struct Sums {
    double decisions = 0, many = 0, us = 0, many_us = 0, p99 = 0, runs = 0, most = 0, max = 0;
  };
  std::map<std::string, Sums> values;
  for (const RatedTrial& rated : trials) {
    const Trial& trial = rated.trial;
    if (unscaled && traces_of(trial.key) != Traces::unscaled) continue;
    Sums& sums = values[trial.key.policy];
    sums.decisions += trial[Figure::decisions];
    const double many = trial[Figure::decisions] * (1 - trial[Figure::decisions_few_jobs]);
    sums.many += many;
    sums.us += trial[Figure::decision_us_mean] * trial[Figure::decisions];
    sums.many_us += trial[Figure::decision_us_mean_many_jobs] * many;
    sums.p99 += trial[Figure::decision_us_p99];
    sums.runs += 1;
    sums.most = std::max(sums.most, trial[Figure::most_jobs]);
    sums.max = std::max(sums.max, trial[Figure::decision_us_max]);
  }
  std::vector<DecisionRow> rows;
  for (const std::string& policy : policies) {
    const auto found = values.find(policy);
    if (found == values.end() || found->second.decisions == 0) continue;
    const Sums& sums = found->second;
    rows.push_back({policy, sums.decisions, 1 - sums.many / sums.decisions, sums.most,
                    sums.us / sums.decisions, sums.many_us / std::max(sums.many, 1.0), sums.p99 / sums.runs,
                    sums.max});
  }
  return rows;
}

}  // namespace aliquot
