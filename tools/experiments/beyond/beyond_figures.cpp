#include "tools/experiments/beyond/beyond_figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/experiments/beyond/beyond.hpp"
#include "tools/sim/metrics/percentile.hpp"
#include "tools/sim/run_trial.hpp"

namespace aliquot {
namespace {

double stretch_of(const Trial& trial) { return trial[Figure::max_bounded_stretch]; }

class GeometricMean {
 public:
  void add(double value) {
    sum_ += std::log(value);
    ++count_;
  }
  [[nodiscard]] double value() const { return count_ == 0 ? 0 : std::exp(sum_ / count_); }

 private:
  double sum_ = 0;
  double count_ = 0;
};

// The trials of one instance, at one penalty.
struct Instance {
  const Trial* ours = nullptr;
  const Trial* best = nullptr;  // of the baselines, if all are there
  double bound = 0;
  std::size_t baselines = 0;
};
using Instances = std::map<TrialKey, Instance>;

TrialKey instance_of(TrialKey key) {
  key.policy.clear();
  return key;
}

Instances instances_of(const std::vector<Trial>& trials) {
  const std::vector<std::string> all = baselines();
  Instances instances;
  for (const Trial& trial : trials) {
    Instance& here = instances[instance_of(trial.key)];
    if (trial.key.policy == kAliquot) here.ours = &trial;
    if (trial.key.policy == kLowerBound) here.bound = stretch_of(trial);
    if (std::ranges::find(all, trial.key.policy) == all.end()) continue;
    ++here.baselines;
    if (here.best == nullptr || stretch_of(trial) < stretch_of(*here.best)) here.best = &trial;
  }
  for (auto& [key, instance] : instances)
    if (instance.baselines != all.size()) instance.best = nullptr;
  return instances;
}

BeyondRow row_of(const std::string& policy, const BeyondPanel& panel, const std::vector<Trial>& trials,
                 const Instances& instances) {
  BeyondRow row;
  row.policy = policy;
  GeometricMean max, p99, avg, to_ours, to_bound;
  std::vector<double> to_best;
  for (const Trial& trial : trials) {
    if (trial.key.policy != policy || panel_of(trial.key) != panel) continue;
    const Instance& instance = instances.at(instance_of(trial.key));
    max.add(stretch_of(trial));
    p99.add(trial[Figure::p99_bounded_stretch]);
    avg.add(trial[Figure::avg_bounded_stretch]);
    if (instance.ours != nullptr) to_ours.add(stretch_of(trial) / stretch_of(*instance.ours));
    if (instance.bound > 0) to_bound.add(stretch_of(trial) / instance.bound);
    if (instance.best != nullptr) to_best.push_back(stretch_of(trial) / stretch_of(*instance.best));
    const double jobs = std::max(1.0, trial[Figure::jobs]);
    row.moves += trial[Figure::migrations] / jobs;
    row.pauses += trial[Figure::preemptions] / jobs;
    ++row.instances;
  }
  row.max_stretch = max.value();
  row.p99_stretch = p99.value();
  row.avg_stretch = avg.value();
  row.to_ours = to_ours.value();
  row.to_bound = to_bound.value();
  const double count = std::max(1.0, static_cast<double>(row.instances));
  row.moves /= count;
  row.pauses /= count;
  if (to_best.empty()) return row;
  for (const double ratio : to_best) row.to_best_mean += ratio / static_cast<double>(to_best.size());
  row.to_best_p95 = percentile_of(to_best, 95);
  row.to_best_max = *std::ranges::max_element(to_best);
  return row;
}

}  // namespace

BeyondPanel panel_of(const TrialKey& key) {
  if (key.workload.starts_with("week-")) return {"weeks", key.penalty};
  return {key.workload + (key.load.empty() ? " unscaled" : " scaled"), key.penalty};
}

std::vector<BeyondPanel> panels_of(const std::vector<Trial>& trials) {
  std::vector<BeyondPanel> panels;
  for (const Trial& trial : trials) {
    const BeyondPanel panel = panel_of(trial.key);
    if (std::ranges::find(panels, panel) == panels.end()) panels.push_back(panel);
  }
  return panels;
}

std::vector<BeyondRow> rows_of(const BeyondPanel& panel, const std::vector<Trial>& trials,
                               const std::vector<std::string>& policies) {
  const Instances instances = instances_of(trials);
  std::vector<BeyondRow> rows;
  for (const std::string& policy : policies) {
    if (policy == kLowerBound) continue;
    BeyondRow row = row_of(policy, panel, trials, instances);
    if (row.instances > 0) rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Behind> furthest_behind(const std::vector<Trial>& trials, std::size_t most) {
  std::vector<Behind> behind;
  for (const auto& [key, instance] : instances_of(trials)) {
    if (instance.ours == nullptr || instance.best == nullptr) continue;
    if (stretch_of(*instance.ours) <= stretch_of(*instance.best)) continue;
    behind.push_back(
        {key, stretch_of(*instance.ours), stretch_of(*instance.best), instance.best->key.policy});
  }
  std::ranges::stable_sort(
      behind, [](const Behind& a, const Behind& b) { return a.ours / a.best > b.ours / b.best; });
  if (behind.size() > most) behind.resize(most);
  return behind;
}

std::optional<double> max_stretch_of(const std::string& policy, const BeyondPanel& panel,
                                     const std::vector<Trial>& trials) {
  GeometricMean mean;
  for (const Trial& trial : trials)
    if (trial.key.policy == policy && panel_of(trial.key) == panel) mean.add(stretch_of(trial));
  if (mean.value() == 0) return std::nullopt;
  return mean.value();
}

std::vector<LoadPoint> by_load(const BeyondPanel& panel, const std::vector<Trial>& trials,
                               const std::string& policy) {
  std::map<double, GeometricMean> means;
  for (const Trial& trial : trials) {
    if (trial.key.policy != policy || panel_of(trial.key) != panel) continue;
    if (const auto load = parse_decimal(trial.key.load))
      means[static_cast<double>(load->pico) / static_cast<double>(kPico)].add(stretch_of(trial));
  }
  std::vector<LoadPoint> points;
  for (const auto& [load, mean] : means) points.push_back({load, mean.value()});
  return points;
}

}  // namespace aliquot
