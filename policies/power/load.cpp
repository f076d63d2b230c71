#include "policies/power/load.hpp"

#include <algorithm>

namespace aliquot::power {
namespace {

constexpr std::int64_t kMillisecond = 1'000;
// An hour of the day has as many after half a century. Then the older half of the sum is forgotten.
constexpr std::int64_t kMostMilliseconds = std::int64_t{1} << 36;
constexpr std::int64_t kMostShare = 10'000'000;
// A task fills at least a hundredth of a node.
constexpr std::int64_t kMostPerNode = 100;

std::size_t slot_at(Instant now) { return static_cast<std::size_t>(now.raw / kHour.raw) % 24; }

}  // namespace

AverageNode average_node(const std::vector<Node>& nodes) {
  Int128 capacity = 0, memory = 0;
  std::int64_t count = 0;
  for (const Node& node : nodes) {
    if (node.service == NodeService::removed) continue;
    capacity += node.capacity.raw;
    memory += node.memory.raw;
    ++count;
  }
  if (count == 0) return {};
  return {
      {static_cast<std::int64_t>(capacity / count)}, {static_cast<std::int64_t>(memory / count)}, count};
}

NodeShare job_share(const Demand& demand, const AverageNode& node) {
  std::int64_t held = kMostPerNode;
  if (demand.need.raw > 0) held = std::min(held, node.capacity.raw / demand.need.raw);
  if (demand.memory.raw > 0) held = std::min(held, node.memory.raw / demand.memory.raw);
  held = std::max<std::int64_t>(held, 1);
  return {(std::int64_t{demand.tasks} * 100 + held - 1) / held};
}

NodeShare present_load(const ClusterView& view) {
  const AverageNode node = average_node(view.nodes);
  NodeShare all;
  for (const auto& [id, job] : view.jobs)
    if (!job.placement.empty() || !job.held) all += job_share(job.demand, node);
  return std::min(all, whole_nodes(node.nodes));
}

void DailyLoad::add(Instant from, Instant to, NodeShare load) {
  from = std::max(from, to - kHour * 24);  // once round the clock says it for every hour
  while (from < to) {
    const Instant next = std::min(to, Instant{(from.raw / kHour.raw + 1) * kHour.raw});
    Slot& slot = slots_[slot_at(from)];
    const std::int64_t span = (next - from).raw / kMillisecond;
    if (slot.milliseconds > kMostMilliseconds) slot = {slot.sum / 2, slot.milliseconds / 2};
    slot.sum += std::min(load.raw, kMostShare) * span;
    slot.milliseconds += span;
    from = next;
  }
}

std::optional<NodeShare> DailyLoad::average(Instant now) const {
  const Slot& slot = slots_[slot_at(now)];
  if (slot.milliseconds == 0) return std::nullopt;
  return NodeShare{slot.sum / slot.milliseconds};
}

}  // namespace aliquot::power
