// What the power policy is told: its rule, how long nodes take to go off and to boot, and how careful it
// is.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "policies/power/energy.hpp"

namespace aliquot::power {

enum class PowerRule : std::uint8_t {
  always_on,
  cape_rm,  // CAPE-RM, sec. III: by the load, or by its average for the time of day
  aliquot,  // our own: by what is placed and waits, with a reserve for the arrivals learned
};
inline constexpr std::array<std::string_view, 3> kRuleNames = {"always-on", "cape-rm", "aliquot"};
[[nodiscard]] constexpr std::string_view name_of(PowerRule rule) {
  return kRuleNames[static_cast<std::size_t>(rule)];
}
[[nodiscard]] constexpr std::optional<PowerRule> rule_named(std::string_view name) {
  for (std::size_t k = 0; k < kRuleNames.size(); ++k)
    if (kRuleNames[k] == name) return static_cast<PowerRule>(k);
  return std::nullopt;
}

struct PowerSettings {
  PowerRule rule = PowerRule::aliquot;
  Duration boot = seconds(20);         // from the wish to wake a node until it can be used
  Duration switch_off = seconds(5);    // until a node that goes off is off
  Duration minimum_on = seconds(120);  // a node that was woken stays on for at least so long
  std::uint32_t reserve = 2;           // nodes that are on and hold nothing, at the least
  // The reserve is the arrivals expected while a node boots, and so many standard deviations, in
  // hundredths.
  std::int64_t caution = 100;
  NodeDraw draw{};
  std::vector<NodeDraw> draws{};  // by node, where nodes differ; one beyond them has `draw`
  [[nodiscard]] const NodeDraw& draw_of(NodeId node) const {
    return node.raw < draws.size() ? draws[node.raw] : draw;
  }
  std::vector<Duration> boots{};  // by node, where nodes differ; one beyond them has `boot`
  [[nodiscard]] Duration boot_of(NodeId node) const {
    return node.raw < boots.size() ? boots[node.raw] : boot;
  }
};

}  // namespace aliquot::power
