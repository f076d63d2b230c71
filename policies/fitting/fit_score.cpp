#include "policies/fitting/fit_score.hpp"

#include <algorithm>
#include <tuple>

namespace aliquot {
namespace {

constexpr std::int64_t kWhole = 1'000'000;  // of a part

std::int64_t part(std::int64_t amount, std::int64_t of) {
  return static_cast<std::int64_t>(Int128{amount} * kWhole / of);
}

}  // namespace

bool FitScore::follow(const ClusterView& view) {
  const auto before = std::tuple(most_cpu_, most_memory_, most_parts_);
  most_cpu_ = Cpu{1};
  most_memory_ = Memory{1};
  most_parts_ = 1;
  for (const Node& node : view.nodes) {
    most_cpu_ = std::max(most_cpu_, node.capacity);
    most_memory_ = std::max(most_memory_, node.memory);
    std::int64_t parts = 0;
    for (const Device& device : node.devices) parts += device.parts;
    most_parts_ = std::max(most_parts_, parts);
  }
  const bool typical = rule_ == FitRule::fgd || rule_ == FitRule::fgd_fill;
  const bool other_sample = typical && prospect_.follow(view);
  return other_sample || before != std::tuple(most_cpu_, most_memory_, most_parts_);
}

std::int64_t FitScore::part_of_cpu(Cpu cpu) const { return part(cpu.raw, most_cpu_.raw); }
std::int64_t FitScore::part_of_memory(Memory memory) const { return part(memory.raw, most_memory_.raw); }
std::int64_t FitScore::part_of_devices(std::int64_t parts) const { return part(parts, most_parts_); }

std::int64_t FitScore::operator()(const Demand& demand, std::uint32_t tasks, const NodeRest& before,
                                  const NodeRest& after) {
  switch (rule_) {
    case FitRule::best_fit:
      return part_of_cpu(after.cpu) + part_of_memory(after.memory) + part_of_devices(after.free_parts());
    case FitRule::dot_product: {
      const std::int64_t asked = std::int64_t{demand.devices.per_node} * demand.devices.parts;
      return part_of_cpu(before.cpu) * part_of_cpu(demand.need * tasks) +
             part_of_memory(before.memory) * part_of_memory(demand.memory * tasks) +
             part_of_devices(before.free_parts()) * part_of_devices(asked);
    }
    case FitRule::fgd:
      return prospect_.of(before, false).usable - prospect_.of(after, false).usable;
    case FitRule::fgd_fill: {
      const NodeProspect::Prospect was = prospect_.of(before, true);
      const NodeProspect::Prospect is = prospect_.of(after, true);
      return (was.usable - is.usable) * NodeProspect::kRows + (was.fill - is.fill) * prospect_.sampled();
    }
  }
  return 0;
}

}  // namespace aliquot
