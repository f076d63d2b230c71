#include "policies/fitting/node_scores.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {
namespace {

constexpr std::size_t kMostKnown = 1 << 20;  // scores, of all demands together
constexpr std::int64_t kWhole = 1'000'000;

std::int64_t share(std::int64_t amount, std::int64_t of) {
  return static_cast<std::int64_t>(Int128{amount} * kWhole / of);
}

}  // namespace

NodeScores::NodeScores(const Draft& draft, FitRule rule) {
  const ClusterView& view = draft.view();
  KnownScores::Basis basis{rule};
  basis.nodes = view.nodes.size();
  for (const Node& node : view.nodes) {
    basis.most_cpu = std::max(basis.most_cpu, node.capacity);
    basis.most_memory = std::max(basis.most_memory, node.memory);
    std::int64_t parts = 0;
    for (const Device& device : node.devices) parts += device.parts;
    basis.most_parts = std::max(basis.most_parts, parts);
  }
  const auto* const before = view.memory.state_as<KnownScores>();
  if (before && before->basis == basis) known_ = *before;
  known_.basis = basis;
  read_changes(draft);
  if (rule != FitRule::fgd && rule != FitRule::fgd_fill) return;
  if (known_.fragmentation && known_.fragmentation->has_sample_of(view)) return;
  known_.fragmentation = std::make_shared<const Fragmentation>(view, rule == FitRule::fgd_fill);
  known_.columns.clear();
}

void NodeScores::read_changes(const Draft& draft) {
  known_.changed_at.resize(draft.nodes());
  const std::vector<FreeOnNode> before = std::exchange(known_.free, free_on_nodes(draft));
  for (std::size_t n = 0; n < draft.nodes(); ++n)
    if (before.empty() || !(before[n] == known_.free[n])) known_.changed_at[n] = ++known_.time;
}

std::int64_t NodeScores::share_of_cpu(Cpu cpu) const { return share(cpu.raw, known_.basis.most_cpu.raw); }
std::int64_t NodeScores::share_of_memory(Memory memory) const {
  return share(memory.raw, known_.basis.most_memory.raw);
}
std::int64_t NodeScores::share_of_devices(std::int64_t parts) const {
  return share(parts, known_.basis.most_parts);
}

std::int64_t NodeScores::score(const Demand& demand, std::uint32_t tasks, const FreeOnNode& before,
                               const FreeOnNode& after) const {
  switch (known_.basis.rule) {
    case FitRule::best_fit:
      return share_of_cpu(after.cpu) + share_of_memory(after.memory) +
             share_of_devices(after.device_parts());
    case FitRule::dot_product: {
      const std::int64_t asked = std::int64_t{demand.devices.per_node} * demand.devices.parts;
      return share_of_cpu(before.cpu) * share_of_cpu(demand.need * tasks) +
             share_of_memory(before.memory) * share_of_memory(demand.memory * tasks) +
             share_of_devices(before.device_parts()) * share_of_devices(asked);
    }
    case FitRule::fgd:  // without a fill
    case FitRule::fgd_fill: {
      const Fragmentation::Measure was = known_.fragmentation->measure(before);
      const Fragmentation::Measure is = known_.fragmentation->measure(after);
      return (was.usable - is.usable) * Fragmentation::kSequences +
             (was.fill - is.fill) * known_.fragmentation->sample_size();
    }
  }
  return 0;
}

std::optional<ScoredNode> NodeScores::best_on(std::uint32_t node, const Demand& demand) const {
  const FreeOnNode& free = known_.free[node];
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

const ScoresByNode& NodeScores::of(const Demand& demand) {
  const Demand key = on_one_node(demand, demand.tasks);
  auto known = std::ranges::find_if(known_.columns, [&](const auto& one) { return one->demand == key; });
  const auto column = std::make_shared<KnownScores::Column>();
  if (known == known_.columns.end()) {
    if (known_.columns.size() * known_.free.size() >= kMostKnown) known_.columns.clear();
    *column = {key, ScoresByNode(known_.free.size()), 0};
    known = known_.columns.insert(known_.columns.end(), column);
  } else if ((*known)->as_of < known_.time) {
    *column = **known;
  } else {
    return (*known)->nodes;
  }
  for (std::uint32_t n = 0; n < known_.free.size(); ++n)
    if (known_.changed_at[n] > column->as_of) column->nodes[n] = best_on(n, key);
  column->as_of = known_.time;
  *known = column;
  return column->nodes;
}

void NodeScores::take(std::uint32_t node, const Demand& demand, std::uint32_t tasks, DeviceSet devices) {
  known_.free[node].take(demand, tasks, devices);
  known_.changed_at[node] = ++known_.time;
}

}  // namespace aliquot
