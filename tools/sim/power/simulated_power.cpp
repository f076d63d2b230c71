#include "tools/sim/power/simulated_power.hpp"

#include <algorithm>

namespace aliquot {

void SimulatedPower::before_step(const ClusterView& view, std::vector<Event>& events) const {
  for (PowerChanged& wake : control_.before_step(events, view)) events.emplace_back(std::move(wake));
}

void SimulatedPower::after_step(const Step& step, const ClusterView& view, std::vector<Event>& events) {
  count_until(view.now);
  follow(view);
  for (PowerChanged& wish : control_.after_step(step, view)) events.emplace_back(std::move(wish));
}

// What the core has taken of the wishes begins now; the draw changes with it.
void SimulatedPower::follow(const ClusterView& view) {
  const power::PowerSettings& settings = control_.settings();
  powers_.resize(view.nodes.size(), NodePower::on);
  draw_ = {};
  given_ = {};
  nodes_on_ = 0;
  for (const Node& node : view.nodes) {
    const NodePower before = std::exchange(powers_[node.id.raw], node.power);
    if (before != node.power && node.power == NodePower::going_off) {
      under_way_.insert({view.now + settings.switch_off, node.id, NodePower::off});
      if (view.now < until_) ++figures_.switched_off;
    }
    if (before != node.power && node.power == NodePower::waking)
      under_way_.insert({view.now + settings.boot, node.id, NodePower::on});
    const Cpu given = view.index.load(node.id).given;
    draw_ += power::draw_of(settings.draw, node.power, given, node.capacity);
    given_ += given;
    nodes_on_ += node.power == NodePower::on ? 1 : 0;
  }
}

void SimulatedPower::count_until(Instant now) {
  const bool begun = !powers_.empty();
  const Duration span = begun ? std::min(now, until_) - std::min(now_, until_) : Duration{};
  now_ = now;
  figures_.time += span;
  figures_.energy += draw_ * span;
  figures_.node_time_on += Int128{nodes_on_} * span.raw;
  figures_.given += Int128{given_.raw} * span.raw;
}

void SimulatedPower::outlive_manager(const ClusterView& view) {
  for (const Node& node : view.nodes) {
    const auto is_this = [&](const Switch& change) { return change.node == node.id; };
    if (std::ranges::any_of(under_way_, is_this)) continue;
    if (node.power == NodePower::going_off) under_way_.insert({view.now, node.id, NodePower::off});
    if (node.power == NodePower::waking) under_way_.insert({view.now, node.id, NodePower::on});
  }
}

void SimulatedPower::take_due(Instant now, std::vector<Event>& events) {
  while (!under_way_.empty() && under_way_.begin()->done <= now) {
    const Switch done = *under_way_.begin();
    under_way_.erase(under_way_.begin());
    events.emplace_back(
        PowerChanged{done.node, done.next, done.next == NodePower::on ? "it has booted" : ""});
  }
}

Instant SimulatedPower::next_due() const {
  const Instant done = under_way_.empty() ? kNever : under_way_.begin()->done;
  return std::min(done, control_.next_due());
}

}  // namespace aliquot
