#include "policies/fitting/node_scores.hpp"

#include <algorithm>

namespace aliquot {
namespace {

constexpr std::size_t kMostColumns = 512;
constexpr std::int64_t kWhole = 1'000'000;

std::int64_t share(std::int64_t amount, std::int64_t of) {
  return static_cast<std::int64_t>(Int128{amount} * kWhole / of);
}

}  // namespace

NodeScores::NodeScores(const Draft& draft, FitRule rule, Fragmentation* fragmentation)
    : rule_(rule), fragmentation_(fragmentation), free_(free_on_nodes(draft)) {
  for (const Node& node : draft.view().nodes) {
    most_cpu_ = std::max(most_cpu_, node.capacity);
    most_memory_ = std::max(most_memory_, node.memory);
    std::int64_t parts = 0;
    for (const Device& device : node.devices) parts += device.parts;
    most_parts_ = std::max(most_parts_, parts);
  }
}

std::int64_t NodeScores::share_of_cpu(Cpu cpu) const { return share(cpu.raw, most_cpu_.raw); }
std::int64_t NodeScores::share_of_memory(Memory memory) const {
  return share(memory.raw, most_memory_.raw);
}
std::int64_t NodeScores::share_of_devices(std::int64_t parts) const { return share(parts, most_parts_); }

std::int64_t NodeScores::score(const Demand& demand, std::uint32_t tasks, const FreeOnNode& before,
                               const FreeOnNode& after) {
  switch (rule_) {
    case FitRule::best_fit:
      return share_of_cpu(after.cpu) + share_of_memory(after.memory) +
             share_of_devices(after.device_parts());
    case FitRule::dot_product: {
      const std::int64_t asked = std::int64_t{demand.devices.per_node} * demand.devices.parts;
      return share_of_cpu(before.cpu) * share_of_cpu(demand.need * tasks) +
             share_of_memory(before.memory) * share_of_memory(demand.memory * tasks) +
             share_of_devices(before.device_parts()) * share_of_devices(asked);
    }
    case FitRule::fgd:
      return fragmentation_->measure(before).usable - fragmentation_->measure(after).usable;
    case FitRule::fgd_fill: {
      const Fragmentation::Measure was = fragmentation_->measure(before);
      const Fragmentation::Measure is = fragmentation_->measure(after);
      return (was.usable - is.usable) * Fragmentation::kSequences +
             (was.fill - is.fill) * fragmentation_->sample_size();
    }
  }
  return 0;
}

std::optional<ScoredNode> NodeScores::best_on(std::uint32_t node, const Demand& demand) {
  const FreeOnNode& free = free_[node];
  const std::uint32_t tasks = free.tasks_that_fit(demand, demand.tasks);
  if (tasks == 0) return std::nullopt;
  std::optional<ScoredNode> best;
  for (const DeviceSet devices : device_choices(free, demand.devices)) {
    FreeOnNode after = free;
    after.take(demand, tasks, devices);
    const ScoredNode scored{score(demand, tasks, free, after), node, tasks, devices};
    if (!best || scored.score < best->score) best = scored;
  }
  return best;
}

const std::vector<std::optional<ScoredNode>>& NodeScores::of(const Demand& demand) {
  const Demand key = on_one_node(demand, demand.tasks);
  auto column = std::ranges::find(columns_, key, &Column::demand);
  if (column == columns_.end()) {
    if (columns_.size() == kMostColumns) columns_.clear();
    columns_.push_back({key, {}, {}});
    column = columns_.end() - 1;
    for (std::uint32_t n = 0; n < free_.size(); ++n) column->nodes.push_back(best_on(n, key));
  }
  for (const std::uint32_t n : column->changed) column->nodes[n] = best_on(n, key);
  column->changed.clear();
  return column->nodes;
}

void NodeScores::take(std::uint32_t node, const Demand& demand, std::uint32_t tasks, DeviceSet devices) {
  free_[node].take(demand, tasks, devices);
  for (Column& column : columns_) column.changed.push_back(node);
}

}  // namespace aliquot
