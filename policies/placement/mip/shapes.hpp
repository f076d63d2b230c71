// What the formulations share: what one node can give one request.
#pragma once

#include <algorithm>
#include <cstdint>

#include "policies/placement/cells.hpp"

namespace aliquot::ip {

// Could such a node give the request its devices? Of a kind with one model at most.
[[nodiscard]] inline bool has_devices(const Instance& instance, const Cell& free, const Request& request) {
  return request.devices == 0 || pick(instance.kinds[free.kind], free, request).has_value();
}

// Units of the request that one such node could hold, devices included.
[[nodiscard]] inline std::uint32_t most_units(const Instance& instance, const Cell& free,
                                              const Request& r) {
  if (!has_devices(instance, free, r)) return 0;
  std::uint32_t units = r.units;
  if (r.cpu > 0) units = std::min(units, free.cpu / r.cpu);
  if (r.memory > 0) units = std::min(units, free.memory / r.memory);
  if (r.per_node > 0) units = std::min(units, r.per_node);
  return units;
}

[[nodiscard]] inline std::uint32_t fewest_nodes(const Request& r) {
  const std::uint32_t even = r.per_node > 0 ? (r.units + r.per_node - 1) / r.per_node : 1;
  return std::max({even, r.min_nodes, 1U});
}
[[nodiscard]] inline std::uint32_t most_nodes(const Request& r) {
  std::uint32_t most = r.per_node > 0 ? (r.units + r.per_node - 1) / r.per_node : r.units;
  if (r.max_nodes > 0) most = std::min(most, r.max_nodes);
  return most;
}

[[nodiscard]] inline bool has_slices(const Instance& instance) {
  return std::any_of(instance.requests.begin(), instance.requests.end(),
                     [](const Request& r) { return r.is_slice(); });
}

[[nodiscard]] inline bool one_model_each(const Instance& instance) {
  return std::all_of(instance.kinds.begin(), instance.kinds.end(),
                     [](const Kind& kind) { return kind.size() <= 1; });
}

}  // namespace aliquot::ip
