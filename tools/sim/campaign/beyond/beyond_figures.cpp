#include "tools/sim/campaign/beyond/beyond_figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/sim/campaign/beyond/field.hpp"
#include "tools/sim/metrics/percentile.hpp"

namespace aliquot {
namespace {

double stretch_of(const Cell& cell) { return cell[Figure::max_bounded_stretch]; }

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

// The cells of one instance, at one penalty.
struct Instance {
  const Cell* ours = nullptr;
  const Cell* best = nullptr;  // of the rivals, if all are there
  double bound = 0;
  std::size_t rivals = 0;
};
using Instances = std::map<CellKey, Instance>;

CellKey instance_of(CellKey key) {
  key.policy.clear();
  return key;
}

Instances instances_of(const std::vector<Cell>& cells) {
  const std::vector<std::string> all = rivals();
  Instances instances;
  for (const Cell& cell : cells) {
    Instance& here = instances[instance_of(cell.key)];
    if (cell.key.policy == kOurs) here.ours = &cell;
    if (cell.key.policy == kLowerBound) here.bound = stretch_of(cell);
    if (std::ranges::find(all, cell.key.policy) == all.end()) continue;
    ++here.rivals;
    if (here.best == nullptr || stretch_of(cell) < stretch_of(*here.best)) here.best = &cell;
  }
  for (auto& [key, instance] : instances)
    if (instance.rivals != all.size()) instance.best = nullptr;
  return instances;
}

BeyondRow row_of(const std::string& policy, const BeyondPanel& panel, const std::vector<Cell>& cells,
                 const Instances& instances) {
  BeyondRow row;
  row.policy = policy;
  GeometricMean max, p99, avg, to_ours, to_bound;
  std::vector<double> to_best;
  for (const Cell& cell : cells) {
    if (cell.key.policy != policy || panel_of(cell.key) != panel) continue;
    const Instance& instance = instances.at(instance_of(cell.key));
    max.add(stretch_of(cell));
    p99.add(cell[Figure::p99_bounded_stretch]);
    avg.add(cell[Figure::avg_bounded_stretch]);
    if (instance.ours != nullptr) to_ours.add(stretch_of(cell) / stretch_of(*instance.ours));
    if (instance.bound > 0) to_bound.add(stretch_of(cell) / instance.bound);
    if (instance.best != nullptr) to_best.push_back(stretch_of(cell) / stretch_of(*instance.best));
    const double jobs = std::max(1.0, cell[Figure::jobs]);
    row.moves += cell[Figure::migrations] / jobs;
    row.pauses += cell[Figure::preemptions] / jobs;
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

BeyondPanel panel_of(const CellKey& key) {
  if (key.workload.starts_with("week-")) return {"weeks", key.penalty};
  return {key.workload + (key.load.empty() ? " unscaled" : " scaled"), key.penalty};
}

std::vector<BeyondPanel> panels_of(const std::vector<Cell>& cells) {
  std::vector<BeyondPanel> panels;
  for (const Cell& cell : cells) {
    const BeyondPanel panel = panel_of(cell.key);
    if (std::ranges::find(panels, panel) == panels.end()) panels.push_back(panel);
  }
  return panels;
}

std::vector<BeyondRow> rows_of(const BeyondPanel& panel, const std::vector<Cell>& cells,
                               const std::vector<std::string>& policies) {
  const Instances instances = instances_of(cells);
  std::vector<BeyondRow> rows;
  for (const std::string& policy : policies) {
    if (policy == kLowerBound) continue;
    BeyondRow row = row_of(policy, panel, cells, instances);
    if (row.instances > 0) rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Behind> furthest_behind(const std::vector<Cell>& cells, std::size_t most) {
  std::vector<Behind> behind;
  for (const auto& [key, instance] : instances_of(cells)) {
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
                                     const std::vector<Cell>& cells) {
  GeometricMean mean;
  for (const Cell& cell : cells)
    if (cell.key.policy == policy && panel_of(cell.key) == panel) mean.add(stretch_of(cell));
  if (mean.value() == 0) return std::nullopt;
  return mean.value();
}

std::vector<LoadPoint> by_load(const BeyondPanel& panel, const std::vector<Cell>& cells,
                               const std::string& policy) {
  std::map<double, GeometricMean> means;
  for (const Cell& cell : cells) {
    if (cell.key.policy != policy || panel_of(cell.key) != panel) continue;
    if (const auto load = parse_decimal(cell.key.load))
      means[static_cast<double>(load->pico) / static_cast<double>(kPico)].add(stretch_of(cell));
  }
  std::vector<LoadPoint> points;
  for (const auto& [load, mean] : means) points.push_back({load, mean.value()});
  return points;
}

}  // namespace aliquot
