#include "manager/node_meters.hpp"

namespace aliquot {
namespace {

// A draw counts for so many intervals: a call that fails or takes long does not bring the table back.
constexpr std::int64_t kCountsFor = 3;

bool has_meter(const Node& node) {
  return node.service != NodeService::removed && node.state == NodeState::up && node.power == NodePower::on;
}

}  // namespace

void NodeMeters::every_second(const ClusterView& view, Instant now) {
  now_ = now;
  if (parts_.settings.meter_command.empty()) return;
  for (const Node& node : view.nodes) {
    Meter& meter = meters_[node.id];
    if (!has_meter(node)) meter.before.reset();
    if (!has_meter(node) || meter.is_asked || now < meter.due) continue;
    meter.is_asked = true;
    meter.due = now + parts_.settings.meter_interval;
    parts_.levers.read_meter(
        node.id, [this, id = node.id, name = node.name](const auto& said) { take(id, name, said); });
  }
}

void NodeMeters::take(NodeId node, const std::string& name, const Result<MeterLine>& said) {
  Meter& meter = meters_[node];
  meter.is_asked = false;
  const auto draw = said.and_then([&](const MeterLine& line) { return draw_of(meter, line); });
  if (!draw) {
    meter.before.reset();
    if (!std::exchange(meter.has_failed, true))
      parts_.warn("node_not_measured node=" + name + " why=\"" + draw.error().message + "\"");
    return;
  }
  meter.has_failed = false;
  if (*draw) parts_.meter.measure(node, **draw, now_ + parts_.settings.meter_interval * kCountsFor);
}

Result<std::optional<power::Watts>> NodeMeters::draw_of(Meter& meter, const MeterLine& said) const {
  const auto reading = power::parse_meter(said.text);
  if (!reading) return tl::unexpected<Error>(reading.error());
  if (reading->draw) return reading->draw;
  const auto before = std::exchange(meter.before, said);
  if (!before) return std::nullopt;
  const auto first = power::parse_meter(before->text);
  if (!first) return std::nullopt;
  return power::draw_between(*first, *reading, said.at - before->at);
}

}  // namespace aliquot
