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
  if (nodes_.size() < view.nodes.size()) nodes_.resize(view.nodes.size());
  for (const aliquot::Node& node : view.nodes) {
    Node& metered = nodes_[node.id.raw];
    metered.energy += metered.draw * span;
    const bool is_on = node.power == NodePower::on && node.state != NodeState::fenced;
    metered.is_measured = is_on && now < metered.measured_until && node.service != NodeService::removed;
    metered.draw = metered.is_measured ? metered.measured : draw_now(view, node, settings.draw_of(node.id));
  }
}

void EnergyMeter::measure(NodeId node, Watts draw, Instant until) {
  if (node.raw >= nodes_.size()) nodes_.resize(node.raw + std::size_t{1});
  nodes_[node.raw].measured = draw;
  nodes_[node.raw].measured_until = until;
}

std::optional<Watts> EnergyMeter::measured(NodeId node) const {
  if (node.raw >= nodes_.size() || !nodes_[node.raw].is_measured) return std::nullopt;
  return nodes_[node.raw].measured;
}

Energy EnergyMeter::energy(NodeId node) const {
  return node.raw < nodes_.size() ? nodes_[node.raw].energy : Energy{};
}

Watts EnergyMeter::draw(NodeId node) const {
  return node.raw < nodes_.size() ? nodes_[node.raw].draw : Watts{};
}

}  // namespace aliquot::power
