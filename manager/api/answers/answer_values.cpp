#include "manager/api/answers/answer_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

namespace aliquot::wire {

using nlohmann::json;

std::string iso_time(Instant instant, const AnswerClock& clock) {
  return iso_time(clock.calendar.unix_us(instant));
}

std::string iso_time(std::int64_t us) {
  const std::time_t whole = us / kMillion;
  std::tm parts{};
  gmtime_r(&whole, &parts);
  char text[80];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(us % kMillion / 1000));
  return text;
}

json iso_or_null(std::optional<Instant> instant, const AnswerClock& clock) {
  return instant ? json(iso_time(*instant, clock)) : json();
}

json seconds_or_null(std::optional<Duration> duration) {
  return duration ? json(to_seconds(*duration)) : json();
}

std::string about(Duration duration) {
  const std::int64_t all = std::max<std::int64_t>(0, duration.raw / kMillion);
  const auto two = [](std::int64_t large, const char* unit, std::int64_t small, const char* below) {
    std::string text = std::to_string(large) + unit;
    if (small > 0) text += (small < 10 ? "0" : "") + std::to_string(small) + below;
    return text;
  };
  if (all < 60) return std::to_string(all) + "s";
  if (all < 3600) return two(all / 60, "m", all % 60, "s");
  if (all < 86'400) return two(all / 3600, "h", all % 3600 / 60, "m");
  return two(all / 86'400, "d", all % 86'400 / 3600, "h");
}

double ratio(Yield yield) { return static_cast<double>(yield.raw) / static_cast<double>(kMillion); }
json ratio_or_null(std::optional<Yield> yield) { return yield ? json(ratio(*yield)) : json(); }
double in_cores(Cpu cpu) { return static_cast<double>(cpu.raw) / static_cast<double>(kMillion); }

double joules(power::Energy energy) { return std::round(energy.to_joules() * 1e3) / 1e3; }

std::string node_name(const ClusterView& view, NodeId node) {
  return node.raw < view.nodes.size() ? view.nodes[node.raw].name : "node " + std::to_string(node.raw);
}

json placement_json(const ClusterView& view, const Placement& placement) {
  json all = json::array();
  for (const Share& share : placement)
    all.push_back({{"node", node_name(view, share.node)}, {"tasks", share.units}});
  return all;
}

}  // namespace aliquot::wire
