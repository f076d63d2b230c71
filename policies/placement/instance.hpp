// One problem of collective placement: what is free, and which jobs want it (IPSCHED, sec. 3).
//
// Plain values, independent of the view: a class is a set of nodes with equal free resources, a request is
// a waiting job. CPU and memory are whole steps of the asker's choice (a core, 64 MiB): free amounts are
// rounded down to steps, demands up. Devices are counted whole. The objective is the papers'
//   maximise  sum of weight_j (s_j - c_j),  c_j = (nodes of j) / 2|N|,
// counted in units of 1 / 2|N| of a weight, so that it is a whole number and no tolerance can drown a
// difference of 1 between two priorities.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "policies/model/device.hpp"
#include "policies/model/units.hpp"

namespace aliquot::ip {

using Value = Int128;  // weight times 2|N|

inline constexpr std::size_t kKindModels = 5;  // different models on one node that requests can tell apart
inline constexpr std::uint16_t kAny = 0xffff;  // of models: whichever, but all on a node are of one

// What is free of a device that is cut into slices: its parts, and the model as an index into the kind. The
// more parts, the larger the number; 0: nothing.
inline constexpr std::size_t kCuts = 6;  // of one node
[[nodiscard]] constexpr std::uint16_t make_cut(std::size_t model, std::uint16_t parts) {
  return static_cast<std::uint16_t>(parts << 3 | model);
}
[[nodiscard]] constexpr std::uint16_t cut_parts(std::uint16_t cut) {
  return static_cast<std::uint16_t>(cut >> 3);
}
[[nodiscard]] constexpr std::uint16_t cut_model(std::uint16_t cut) {
  return static_cast<std::uint16_t>(cut & 7);
}
static_assert(kKindModels <= 8 && make_cut(7, kWholeDevice) < kAny);

// What is free on one node.
struct Cell {
  std::uint32_t cpu = 0;
  std::uint32_t memory = 0;
  std::uint16_t kind = 0;                            // index into Instance::kinds
  std::array<std::uint16_t, kKindModels> devices{};  // whole ones, of the models of the kind
  std::array<std::uint16_t, kCuts> cuts{};           // in decreasing order

  [[nodiscard]] std::uint32_t whole_devices() const {
    std::uint32_t all = 0;
    for (const std::uint16_t free : devices) all += free;
    return all;
  }
  // In thousandths of a device.
  [[nodiscard]] std::uint32_t device_parts() const {
    std::uint32_t all = kWholeDevice * whole_devices();
    for (const std::uint16_t cut : cuts) all += cut_parts(cut);
    return all;
  }
  friend bool operator==(const Cell& a, const Cell& b) {
    using Words = std::array<std::uint64_t, 4>;
    return std::bit_cast<Words>(a) == std::bit_cast<Words>(b);
  }
};
static_assert(sizeof(Cell) == 32);

struct NodeClass {
  Cell free;
  std::uint32_t count = 0;
};

// Which models the devices of a cell are of, at most kKindModels.
using Kind = std::vector<std::uint16_t>;

struct Request {
  std::int64_t weight = 1;      // at least 0
  std::uint32_t units = 1;      // tasks: the papers' cores
  std::uint32_t cpu = 1;        // steps, per unit
  std::uint32_t memory = 0;     // steps, per unit
  std::uint32_t min_nodes = 0;  // 0: not asked for
  std::uint32_t max_nodes = 0;  // 0: not asked for
  std::uint32_t per_node = 0;  // units on each node, the rest of the division on one more; 0: not asked for
  std::uint16_t devices = 0;   // on each node
  std::uint16_t parts = kWholeDevice;  // of each device; less: a slice of one
  std::uint16_t model = kAny;

  [[nodiscard]] constexpr bool is_slice() const { return devices > 0 && parts < kWholeDevice; }
  // Thousandths of devices on each node.
  [[nodiscard]] constexpr std::uint32_t device_parts() const { return std::uint32_t{devices} * parts; }
};

// Alike in all but the weight.
[[nodiscard]] constexpr bool same_shape(const Request& a, const Request& b) {
  return a.units == b.units && a.cpu == b.cpu && a.memory == b.memory && a.min_nodes == b.min_nodes &&
         a.max_nodes == b.max_nodes && a.per_node == b.per_node && a.devices == b.devices &&
         a.parts == b.parts && a.model == b.model;
}

struct Instance {
  std::uint32_t nodes = 1;  // |N| of the objective, at least as many as the classes hold
  bool nodes_cost = true;   // false: the objective is the sum of the weights alone (AUCSCHED, (8))
  std::uint16_t least_slice = kWholeDevice;  // asked for, in parts: less of a device is of no use
  std::vector<Kind> kinds;
  std::vector<NodeClass> classes;
  std::vector<Request> requests;
};

// What a request is worth on so many nodes.
[[nodiscard]] inline Value value_of(const Instance& instance, const Request& request, std::uint32_t nodes) {
  const std::int64_t cost = instance.nodes_cost ? nodes : 0;
  return static_cast<Value>(request.weight) * (2 * std::int64_t{instance.nodes} - cost);
}

}  // namespace aliquot::ip
