// A relaxation of the collective placement without nodes: a knapsack problem with four constraints. Its
// optimum bounds that of the placement.
//
// Each constraint is an aggregate over all nodes. A request demands of it at least what it takes on the
// fewest nodes that could hold it alone, and its value is at most the one it has there. Lagrangian
// multipliers on the constraints (the dual values of the linear program, rounded) give each request a
// reduced value, its value less the dual values of its demand. For any multipliers the sum of the positive
// reduced values and the dual value of the capacity is an upper bound. It is computed in whole numbers, so
// it is proven. Requests that differ in the weight alone are taken in the order of their weights.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "policies/placement/solver/placer.hpp"

namespace aliquot::ip {

enum Aggregate : std::size_t {
  kCpu,
  kMemory,
  kDevices,           // in parts
  kCpuBesideDevices,  // the CPU of nodes with devices, for the requests for devices
};
inline constexpr std::size_t kAggregates = 4;
using Amounts = std::array<std::int64_t, kAggregates>;

[[nodiscard]] constexpr bool fits(const Amounts& demand, const Amounts& left) {
  for (std::size_t a = 0; a < kAggregates; ++a) {
    if (demand[a] > left[a]) return false;
  }
  return true;
}
[[nodiscard]] constexpr Amounts minus(Amounts left, const Amounts& demand) {
  for (std::size_t a = 0; a < kAggregates; ++a) left[a] -= demand[a];
  return left;
}

// Values that contain multipliers are fixed-point numbers with so many fraction bits.
inline constexpr int kFractionBits = 20;

struct Item {
  std::uint32_t request = 0;
  std::uint32_t shape = 0;  // index; equal for requests of the same shape
  std::uint32_t nodes = 0;  // the fewest, alone
  Amounts demand{};
  Value value = 0;          // on so few nodes; fixed-point
  Value reduced_value = 0;  // fixed-point
  double efficiency = 0;    // value / dual value of the demand
};

struct Relaxation {
  std::vector<Item> items;  // requests that fit alone, by falling efficiency
  std::size_t shapes = 0;
  Amounts capacity{};
  std::array<Value, kAggregates> dual{};  // fixed-point
  Value bound = 0;                        // fixed-point
};

[[nodiscard]] Relaxation relax(Placer& placer, const FreeCapacity& capacity);

// Rounded down: an objective value is a whole number.
[[nodiscard]] constexpr Value whole(Value fixed_point) { return fixed_point >> kFractionBits; }

}  // namespace aliquot::ip
