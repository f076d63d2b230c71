#include "policies/moldable/speedup_text.hpp"

#include <charconv>
#include <optional>
#include <utility>

namespace aliquot::moldable {
namespace {

// A plain decimal number of at most nine digits before the point and six after it; none: it is no such.
std::optional<Millionths> millionths(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string_view part = point == std::string_view::npos ? std::string_view("0") : text.substr(point + 1);
  if (whole.empty() || whole.size() > 9 || part.empty() || part.size() > 6) return std::nullopt;
  const std::string digits = std::string(whole) + std::string(part) + std::string(6 - part.size(), '0');
  Millionths number;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number.raw);
  const bool signless = digits.find_first_not_of("0123456789") == std::string::npos;
  if (error != std::errc{} || end != digits.data() + digits.size() || !signless) return std::nullopt;
  return number;
}

// What stands before the separator, and after it; the second is empty if there is none.
std::pair<std::string_view, std::string_view> split(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

std::optional<SpeedupPoint> point_of(std::string_view text) {
  const auto [count, speedup] = split(text, '=');
  const auto tasks = millionths(count);
  const auto ratio = millionths(speedup);
  if (!tasks || !ratio || tasks->raw % kMillion != 0 || tasks->raw / kMillion > kMostTasks)
    return std::nullopt;
  return SpeedupPoint{static_cast<std::uint32_t>(tasks->raw / kMillion), {ratio->raw}};
}

std::optional<std::vector<SpeedupPoint>> points_of(std::string_view text) {
  std::vector<SpeedupPoint> points;
  while (!text.empty()) {
    const auto [first, rest] = split(text, ',');
    const auto point = point_of(first);
    if (!point) return std::nullopt;
    points.push_back(*point);
    text = rest;
  }
  return points;
}

}  // namespace

Result<SpeedupModel> parse_speedup(std::string_view text) {
  const auto [kind, values] = split(text, ':');
  const auto [first, second] = split(values, ':');
  if (text.size() <= kLongestSpeedup) {
    if (text == "perfect") return SpeedupModel::perfect();
    if (const auto serial = millionths(values); kind == "amdahl" && serial)
      return SpeedupModel::amdahl(*serial);
    const auto parallelism = millionths(first);
    const auto variance = millionths(second);
    if (kind == "downey" && parallelism && variance) return SpeedupModel::downey(*parallelism, *variance);
    if (auto points = points_of(values); kind == "table" && points)
      return SpeedupModel::table(std::move(*points));
  }
  return fail(ErrorKind::invalid_argument,
              "\"" + std::string(text.substr(0, 40)) +
                  "\" is no speed-up model; write perfect, amdahl:SERIAL (amdahl:0.05), downey:A:SIGMA "
                  "(downey:16:0.5), or table:TASKS=SPEEDUP,... (table:2=1.9,4=3.5)");
}

}  // namespace aliquot::moldable
