#include "policies/power/energy_meter.hpp"

#include <utility>

namespace aliquot::power {
namespace {

Watts draw_now(const ClusterView& view, const aliquot::Node& node, const NodeDraw& draw) {
  if (node.service == NodeService::removed) return {};
  const NodePower power = node.state == NodeState::fenced ? NodePower::off : node.power;
  return draw_of(draw, power, view.index.load(node.id).given, node.capacity);
}

}  // namespace

void EnergyMeter::read(const ClusterView& view, Instant now, const PowerSettings& settings) {
  const Duration span = now - std::exchange(read_, now);
  nodes_.resize(view.nodes.size());
  for (const aliquot::Node& node : view.nodes) {
    Node& metered = nodes_[node.id.raw];
    metered.energy += metered.draw * span;
    metered.draw = draw_now(view, node, settings.draw_of(node.id));
  }
}

Energy EnergyMeter::energy(NodeId node) const {
  return node.raw < nodes_.size() ? nodes_[node.raw].energy : Energy{};
}

Watts EnergyMeter::draw(NodeId node) const {
  return node.raw < nodes_.size() ? nodes_[node.raw].draw : Watts{};
}

}  // namespace aliquot::power
