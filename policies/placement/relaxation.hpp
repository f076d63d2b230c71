// A collective placement seen from far: no nodes, only a few totals. Its optimum bounds the problem's.
//
// A request takes of each total (CPU, devices, ...) at least what it takes on the fewest nodes that could
// hold it alone, and is worth at most what it is worth there: choosing a set of requests within the totals
// is a knapsack problem with a few rows. Prices on the totals (Lagrangian multipliers; those of the linear
// program, rounded) give each request a reduced value, and the sum of the positive ones plus the price of
// all that is free is an upper bound whatever the prices are: it is worked out in whole numbers, so that it
// is proven. Requests that differ in nothing but the weight are taken in the order of their weights.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "policies/placement/rooms.hpp"

namespace aliquot::ip {

// The totals: CPU (always the first), memory, all devices, the CPU beside devices (of requests that ask for
// them), the nodes of requests that no two of fit on one node, how many requests fit at all and how many
// that ask for devices, devices that are free as a whole, and devices of the models asked for most. Devices
// are counted in parts. Those that nobody can exceed are left out.
enum Total : std::size_t {
  kCpu,
  kMemory,
  kDevices,
  kCpuBeside,
  kLoners,
  kAll,
  kHolders,
  kWhole,
  kFirstModel
};
inline constexpr std::size_t kModelTotals = 4;
inline constexpr std::size_t kTotals = kFirstModel + kModelTotals;
using Totals = std::array<std::int64_t, kTotals>;

// Values with prices in them have so many binary places.
inline constexpr int kPlaces = 20;

struct Item {
  std::uint32_t request = 0;
  std::uint32_t shape = 0;  // index; equal for requests of the same shape
  std::uint32_t nodes = 0;  // the fewest, alone
  Totals takes{};
  Value worth = 0;    // on so few nodes, with kPlaces
  Value reduced = 0;  // worth less the price of what it takes
  double efficiency = 0;
};

struct Relaxation {
  std::vector<Item> items;  // that could be placed alone: the most worth for its price first
  std::size_t shapes = 0;
  std::size_t totals = 1;                    // how many are in use
  std::array<std::size_t, kTotals> which{};  // of the Total: those in use, CPU always the first
  Totals free{};
  std::array<Value, kTotals> price{};  // with kPlaces
  Value bound = 0;                     // with kPlaces
};

// Could the item be had if so much were left?
[[nodiscard]] inline bool within(const Relaxation& relaxation, const Item& item, const Totals& left) {
  for (std::size_t t = 0; t < relaxation.totals; ++t) {
    if (item.takes[t] > left[t]) return false;
  }
  return true;
}

[[nodiscard]] Relaxation relax(Placer& placer, const Rooms& rooms);

// Without its binary places, rounded down: a worth is a whole number.
[[nodiscard]] constexpr Value whole(Value with_places) { return with_places >> kPlaces; }

}  // namespace aliquot::ip
