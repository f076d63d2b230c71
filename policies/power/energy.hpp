// What nodes draw, and what that comes to over time.
//
// Watts   milliwatts. Of a node, at the wall.
// Energy  nanojoules (milliwatts x microseconds), in 128 bits: exact for any cluster and any run.
//
// A node draws `idle` when it is on and nothing runs, `full` at full utilisation, and in between by its
// utilisation: the linear model. It boots at `full` and goes off at `idle`.
#pragma once

#include "policies/model/time.hpp"
#include "policies/model/view.hpp"

namespace aliquot::power {

using Watts = Quantity<struct WattsTag>;

constexpr Watts watts(std::int64_t n) { return {n * 1'000}; }
constexpr double to_watts(Watts draw) { return static_cast<double>(draw.raw) / 1e3; }

struct Energy {
  Int128 raw = 0;

  friend constexpr auto operator<=>(Energy, Energy) = default;
  friend constexpr Energy operator+(Energy a, Energy b) { return {a.raw + b.raw}; }
  constexpr Energy& operator+=(Energy b) { return raw += b.raw, *this; }
  [[nodiscard]] double to_joules() const { return static_cast<double>(raw) / 1e9; }
  [[nodiscard]] double to_kwh() const { return to_joules() / 3.6e6; }
};

constexpr Energy operator*(Watts draw, Duration span) { return {Int128{draw.raw} * span.raw}; }

struct NodeDraw {
  Watts idle = watts(95);
  Watts full = watts(190);
  Watts asleep = watts(10);
  friend bool operator==(const NodeDraw&, const NodeDraw&) = default;
};

// `given`: the CPU that the tasks on the node are given. Rounds down.
[[nodiscard]] constexpr Watts draw_of(const NodeDraw& draw, NodePower power, Cpu given, Cpu capacity) {
  switch (power) {
    case NodePower::off:
      return draw.asleep;
    case NodePower::waking:
      return draw.full;
    case NodePower::going_off:
      return draw.idle;
    case NodePower::on:
      break;
  }
  if (capacity.raw <= 0) return draw.idle;
  return {draw.idle.raw +
          multiply_divide((draw.full - draw.idle).raw, std::min(given, capacity).raw, capacity.raw)};
}

// How long a node must stay off to save more than it costs to boot it.
[[nodiscard]] constexpr Duration break_even(const NodeDraw& draw, Duration boot) {
  const std::int64_t saved = (draw.idle - draw.asleep).raw;
  if (saved <= 0) return {kNever.raw};
  return {multiply_divide((draw.full - draw.asleep).raw, boot.raw, saved)};
}

}  // namespace aliquot::power
