// A relaxation of the collective placement without nodes: a knapsack problem with a few constraints. Its
// optimum bounds that of the placement.
//
// Each constraint is an aggregate over all nodes (the CPU, the devices, ...). A request demands of it at
// least what it takes on the fewest nodes that could hold it alone, and its value is at most the one it has
// there. Lagrangian multipliers on the constraints (the dual values of the linear program, rounded) give
// each request a reduced value, its value less the dual values of its demand. For any multipliers the sum
// of the positive reduced values and the dual value of the capacity is an upper bound. It is computed in
// whole numbers, so it is proven. Requests that differ in the weight alone are taken in the order of their
// weights.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "policies/placement/solver/placer.hpp"

namespace aliquot::ip {

// Devices are counted in parts.
enum Aggregate : std::size_t {
  kCpu,
  kMemory,
  kDevices,
  kCpuBesideDevices,  // the CPU of nodes with devices, for the requests for devices
  kLargeNodes,        // nodes for requests that take more than half of the largest node
  kJobs,              // how many requests can fit at all
  kDeviceJobs,        // how many requests for devices can fit at all
  kWholeDevices,
  kFirstModel  // devices of the models asked for most
};
inline constexpr std::size_t kModelAggregates = 4;
inline constexpr std::size_t kAggregates = kFirstModel + kModelAggregates;
using Amounts = std::array<std::int64_t, kAggregates>;  // by constraint

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
  std::size_t constraints = 1;                       // those that all items together would violate, and CPU
  std::array<std::size_t, kAggregates> aggregate{};  // of each constraint; the first is kCpu
  Amounts capacity{};
  std::array<Value, kAggregates> dual{};  // by constraint; fixed-point
  Value bound = 0;                        // fixed-point

  [[nodiscard]] bool fits(const Item& item, const Amounts& left) const {
    for (std::size_t c = 0; c < constraints; ++c) {
      if (item.demand[c] > left[c]) return false;
    }
    return true;
  }
  void take(const Item& item, Amounts& left) const {
    for (std::size_t c = 0; c < constraints; ++c) left[c] -= item.demand[c];
  }
  void give_back(const Item& item, Amounts& left) const {
    for (std::size_t c = 0; c < constraints; ++c) left[c] += item.demand[c];
  }
};

[[nodiscard]] Relaxation relax(Placer& placer, const FreeCapacity& capacity);

// Rounded down: an objective value is a whole number.
[[nodiscard]] constexpr Value whole(Value fixed_point) { return fixed_point >> kFractionBits; }

}  // namespace aliquot::ip
