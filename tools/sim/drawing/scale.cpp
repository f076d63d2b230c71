#include "tools/sim/drawing/scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace aliquot {
namespace {

constexpr std::array<double, 3> kMantissas = {1, 2, 5};

std::string plain(double value) {
  char buffer[64];
  if (value >= 1000 && std::fmod(value, 1) == 0) {
    std::snprintf(buffer, sizeof buffer, "%.0f", value);
    std::string text = buffer;
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
    return text;
  }
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

// The smallest 1, 2 or 5 times a power of ten that is not below it.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double mantissa : kMantissas)
    if (mantissa * power >= value * (1 - 1e-9)) return mantissa * power;
  return 10 * power;
}

double round_down(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  double best = power;
  for (const double mantissa : kMantissas)
    if (mantissa * power <= value * (1 + 1e-9)) best = mantissa * power;
  return best;
}

}  // namespace

Scale::Scale(bool logarithmic, double low, double high, double from, double to)
    : logarithmic_(logarithmic), low_(low), high_(high > low ? high : low * 10 + 1), from_(from), to_(to) {}

double Scale::at(double value) const {
  const double inside = std::clamp(value, low_, high_);
  const double part =
      logarithmic_ ? std::log(inside / low_) / std::log(high_ / low_) : (inside - low_) / (high_ - low_);
  return from_ + part * (to_ - from_);
}

std::vector<AxisTick> Scale::ticks(int wanted) const {
  std::vector<AxisTick> list;
  if (!logarithmic_) {
    const double step = round_up((high_ - low_) / wanted);
    for (double value = std::ceil(low_ / step - 1e-9) * step; value <= high_ + step * 1e-9; value += step)
      list.push_back({value, plain(std::fabs(value) < step * 1e-9 ? 0 : value)});
    return list;
  }
  const double decades = std::log10(high_ / low_);
  for (double power = std::pow(10, std::floor(std::log10(low_))); power <= high_ * (1 + 1e-9);
       power *= 10) {
    for (int mantissa = 1; mantissa < 10; ++mantissa) {
      const double value = power * mantissa;
      if (value < low_ * (1 - 1e-9) || value > high_ * (1 + 1e-9)) continue;
      const bool named = mantissa == 1 || (decades < 2.5 && (mantissa == 2 || mantissa == 5));
      list.push_back({value, named ? plain(value) : ""});
    }
  }
  return list;
}

Range log_range(double least, double most) {
  Range range{round_down(least), round_up(most)};
  if (range.high <= range.low) range.high = range.low * 10;
  return range;
}

std::vector<AxisTick> time_ticks(const Scale& scale, int wanted) {
  struct Unit {
    double seconds;
    const char* name;
  };
  static constexpr std::array<Unit, 4> units = {{{86400, " d"}, {3600, " h"}, {60, " min"}, {1, " s"}}};
  const double span = scale.high() - scale.low();
  const auto* unit = std::ranges::find_if(units, [span](const Unit& u) { return span >= 2 * u.seconds; });
  if (unit == units.end()) unit = &units.back();
  const Scale in_units(false, scale.low() / unit->seconds, scale.high() / unit->seconds, 0, 1);
  std::vector<AxisTick> list = in_units.ticks(wanted);
  for (AxisTick& tick : list) {
    tick.value *= unit->seconds;
    tick.label += unit->name;
  }
  return list;
}

}  // namespace aliquot
