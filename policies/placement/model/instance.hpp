// One problem of collective placement, and the answer to it (IPSCHED, sec. 3).
//
// The input is which resources are free and which waiting jobs ask for them; the answer is which jobs
// start, on how many nodes, and a proven bound. All are plain values that know nothing of the cluster view.
// A node class is a set of nodes with equal free resources; a request is a waiting job. CPU and memory are
// counted in whole granules that the caller chooses (a core, 64 MiB): free amounts are rounded down,
// demands up. The objective is the papers':
//   maximise  sum of weight_j (s_j - c_j),  s_j: job j starts,  c_j = (nodes of j) / 2|N|.
// It is counted in units of 1 / 2|N| of a weight. So it is a whole number, and no tolerance of a solver
// hides a difference of 1 between two priorities.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "policies/model/device.hpp"
#include "policies/model/units.hpp"

namespace aliquot::ip {

using Value = Int128;  // of the objective: weight times 2|N|

[[nodiscard]] constexpr std::uint32_t ceil_of(std::uint32_t a, std::uint32_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}

inline constexpr std::size_t kModelsPerNode = 5;   // that requests can tell apart on one node
inline constexpr std::size_t kPartialDevices = 6;  // of one node that are counted

// The models of a node's devices, at most kModelsPerNode.
using NodeKind = std::vector<std::uint16_t>;

// A device with so many free parts; the model is an index into the node's kind. No parts: no device.
struct FreeDevice {
  std::uint16_t parts = 0;
  std::uint16_t model = 0;
  friend auto operator<=>(const FreeDevice&, const FreeDevice&) = default;
};

// What is free on one node.
struct FreeResources {
  std::uint32_t cpu = 0;
  std::uint32_t memory = 0;
  std::uint16_t kind = 0;                               // index into Instance::kinds
  std::array<std::uint16_t, kModelsPerNode> devices{};  // whole ones, by model
  std::array<FreeDevice, kPartialDevices> partials{};   // with a slice in use; the largest first

  [[nodiscard]] std::uint32_t whole_devices() const {
    std::uint32_t all = 0;
    for (const std::uint16_t free : devices) all += free;
    return all;
  }
  // In thousandths of a device.
  [[nodiscard]] std::uint32_t device_parts() const {
    std::uint32_t all = kWholeDevice * whole_devices();
    for (const FreeDevice& partial : partials) all += partial.parts;
    return all;
  }
  friend bool operator==(const FreeResources&, const FreeResources&) = default;
};

struct NodeClass {
  FreeResources free;
  std::uint32_t count = 0;  // nodes
};

// What a request asks for, all but its weight.
struct Shape {
  std::uint32_t units = 1;             // tasks: the papers' cores
  std::uint32_t cpu = 1;               // granules, per unit
  std::uint32_t memory = 0;            // granules, per unit
  std::uint32_t min_nodes = 0;         // 0: no limit
  std::uint32_t max_nodes = 0;         // 0: no limit
  std::uint32_t per_node = 0;          // units on each node, the remainder on one more; 0: any number
  std::uint16_t devices = 0;           // on each node
  std::uint16_t parts = kWholeDevice;  // of each device; fewer: a slice of one
  DeviceModels models{};               // one of them for all devices of a node
  bool contiguous = false;  // on neighbouring nodes; the node classes do not know which these are

  friend auto operator<=>(const Shape&, const Shape&) = default;

  [[nodiscard]] constexpr bool is_slice() const { return devices > 0 && parts < kWholeDevice; }
  // Thousandths of devices on each node.
  [[nodiscard]] constexpr std::uint32_t device_parts() const { return std::uint32_t{devices} * parts; }
  // How many nodes it may have, whatever they hold. A shape that contradicts itself asks for at least more
  // nodes than it asks for at most.
  [[nodiscard]] constexpr std::uint32_t fewest_nodes() const {
    return std::max({per_node > 0 ? ceil_of(units, per_node) : 1U, min_nodes, 1U});
  }
  [[nodiscard]] constexpr std::uint32_t most_nodes() const {
    const std::uint32_t most = per_node > 0 ? ceil_of(units, per_node) : units;
    return max_nodes > 0 ? std::min(most, max_nodes) : most;
  }
};

struct Request : Shape {
  std::int64_t weight = 1;  // at least 0
};

[[nodiscard]] constexpr bool same_shape(const Shape& a, const Shape& b) { return a == b; }

struct Instance {
  std::uint32_t nodes = 1;  // |N| of the objective, at least as many as the classes hold
  bool nodes_cost = true;   // false: the objective is the sum of the weights alone (AUCSCHED, (8))
  std::uint16_t least_slice = kWholeDevice;  // the smallest slice of any request, in parts
  std::vector<NodeKind> kinds;
  std::vector<NodeClass> classes;
  std::vector<Request> requests;
};

// The term of the objective for a request that starts on so many nodes.
[[nodiscard]] inline Value objective_value(const Instance& instance, const Request& request,
                                           std::uint32_t nodes) {
  const std::int64_t cost = instance.nodes_cost ? nodes : 0;
  return static_cast<Value>(request.weight) * (2 * std::int64_t{instance.nodes} - cost);
}

// So many nodes of a class give so many units each to a request.
struct ClassAllocation {
  std::uint32_t request = 0;
  FreeResources from;       // of these nodes just before
  FreeDevice device;        // that the request gets on each of them (choose_device)
  std::uint32_t units = 0;  // on each of them
  std::uint32_t nodes = 0;
};

struct Chosen {
  std::uint32_t request = 0;
  std::uint32_t nodes = 0;
};

// The allocations are by class: replayed in their order on real nodes they say which nodes a request gets
// (solver/assignment.hpp).
struct Answer {
  std::vector<Chosen> chosen;  // requests that start, in increasing order
  std::vector<ClassAllocation> allocations;
  Value incumbent = 0;  // objective value of what was chosen
  Value bound = 0;      // no placement has a larger one: proven, not estimated
  std::uint64_t work = 0;
  bool finished = true;  // false: stopped by the effort allowed

  // (bound - incumbent) / bound, in [0, 1].
  [[nodiscard]] double gap() const {
    return bound > 0 ? static_cast<double>(bound - incumbent) / static_cast<double>(bound) : 0.0;
  }
};

}  // namespace aliquot::ip
