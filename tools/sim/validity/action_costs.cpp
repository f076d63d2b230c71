#include "tools/sim/validity/action_costs.hpp"

#include <cmath>

#include "tools/sim/metrics/percentile.hpp"

namespace aliquot {
namespace {

struct Line {
  double at_zero = 0;  // microseconds
  double slope = 0;    // microseconds a byte
};

Line fitted(const std::vector<MeasuredAction>& actions) {
  const auto count = static_cast<double>(actions.size());
  double memory = 0, took = 0;
  for (const MeasuredAction& action : actions) {
    memory += static_cast<double>(action.memory.raw) / count;
    took += static_cast<double>(action.took.raw) / count;
  }
  double together = 0, apart = 0;
  for (const MeasuredAction& action : actions) {
    const double x = static_cast<double>(action.memory.raw) - memory;
    together += x * (static_cast<double>(action.took.raw) - took);
    apart += x * x;
  }
  if (apart <= 0) return {took, 0};
  const Line line{took - together / apart * memory, together / apart};
  return line.slope > 0 && line.at_zero >= 0 ? line : Line{took, 0};
}

ActionCost cost_of(ActionKind kind, const std::vector<MeasuredAction>& done) {
  ActionCost cost;
  cost.kind = kind;
  cost.count = done.size();
  if (done.empty()) return cost;
  std::vector<Duration> took;
  Int128 sum = 0;
  for (const MeasuredAction& action : done) {
    took.push_back(action.took);
    sum += action.took.raw;
  }
  std::ranges::sort(took);
  cost.mean = {static_cast<std::int64_t>(sum / static_cast<Int128>(done.size()))};
  cost.p95 = percentile(took, 95);
  const Line line = fitted(done);
  cost.delay = {std::llround(line.at_zero)};
  if (line.slope > 0) cost.bandwidth = std::llround(1e6 / line.slope);
  return cost;
}

}  // namespace

std::vector<ActionCost> action_costs(const std::vector<MeasuredAction>& actions) {
  std::vector<ActionCost> costs;
  for (std::size_t kind = 0; kind < kActionKinds; ++kind) {
    std::vector<MeasuredAction> done;
    std::size_t failed = 0;
    for (const MeasuredAction& action : actions) {
      if (static_cast<std::size_t>(action.kind) != kind) continue;
      if (action.failed)
        ++failed;
      else
        done.push_back(action);
    }
    if (done.empty() && failed == 0) continue;
    costs.push_back(cost_of(static_cast<ActionKind>(kind), done));
    costs.back().failed = failed;
  }
  return costs;
}

ModelOptions model_of(const std::vector<ActionCost>& costs) {
  ModelOptions options;
  for (const ActionCost& cost : costs) {
    options.delay[static_cast<std::size_t>(cost.kind)] = cost.delay;
    options.bandwidth[static_cast<std::size_t>(cost.kind)] = cost.bandwidth;
  }
  return options;
}

}  // namespace aliquot
