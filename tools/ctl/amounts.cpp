#include "tools/ctl/amounts.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace aliquot::ctl {

using nlohmann::json;

namespace {

std::string print(const char* form, double value) {
  char text[64];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

std::string two(const char* form, std::int64_t a, std::int64_t b) {
  char text[64];
  std::snprintf(text, sizeof text, form, static_cast<long long>(a), static_cast<long long>(b));
  return text;
}

}  // namespace

std::string short_bytes(const json& bytes) {
  if (!bytes.is_number()) return "-";
  double value = bytes.get<double>();
  const char* units = "BKMGTP";
  while (value >= 1024 && units[1] != '\0') {
    value /= 1024;
    ++units;
  }
  const bool whole = std::abs(value - std::round(value)) < 0.05 || value >= 100;
  return print(whole ? "%.0f" : "%.1f", value) + *units;
}

std::string short_seconds(const json& seconds) {
  if (!seconds.is_number()) return "-";
  const double value = seconds.get<double>();
  if (value < 0) return "-" + short_seconds(-value);
  if (value < 9.95) return print("%.1fs", value);
  const auto s = static_cast<std::int64_t>(std::llround(value));
  if (s < 60) return std::to_string(s) + "s";
  if (s < 3600) return two("%lldm%02llds", s / 60, s % 60);
  if (s < 86'400) return two("%lldh%02lldm", s / 3600, s % 3600 / 60);
  return two("%lldd%02lldh", s / 86'400, s % 86'400 / 3600);
}

std::string short_energy(const json& joules) {
  if (!joules.is_number()) return "-";
  const double value = joules.get<double>();
  constexpr double kKilo = 1e3, kKilowattHour = 3.6e6;
  if (value < kKilo) return print("%.3g J", value);
  if (value < kKilowattHour) return print("%.4g kJ", value / kKilo);
  return print("%.4g kWh", value / kKilowattHour);
}

std::string short_ratio(const json& ratio) {
  return ratio.is_number() ? print("%.2f", ratio.get<double>()) : "-";
}

std::string short_number(const json& number) {
  return number.is_number() ? print("%.6g", number.get<double>()) : "-";
}

std::string short_cores(const json& number) {
  if (!number.is_number()) return "-";
  return short_number(number) + (number == 1 ? " core" : " cores");
}

std::string short_placement(const json& placement) {
  std::string out;
  for (const json& share : placement) {
    if (!out.empty()) out += ',';
    out += share.value("node", "?");
    if (share.value("tasks", 1) != 1) out += ":" + std::to_string(share.value("tasks", 1));
  }
  return out.empty() ? "-" : out;
}

}  // namespace aliquot::ctl
