// Packing a set of requests: they are placed one after the other.
//
// Whether a set fits is itself a hard problem (bin packing). It is tried in a few orders of the requests
// and of the nodes, called heuristics. A set that no heuristic packs may still have a packing: an answer
// built from these is always feasible, but not always the best.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "policies/placement/solver/placer.hpp"

namespace aliquot::ip {

struct Packing {
  FreeCapacity left;
  std::vector<std::uint32_t> sequence;  // of requests
  NodeOrder order = NodeOrder::spare_devices;
  Value value = 0;
  std::uint64_t nodes = 0;  // of all requests together
};

using RequestSet = std::vector<bool>;  // by request: whether it is in the set
[[nodiscard]] RequestSet set_of(const std::vector<std::uint32_t>& members, std::size_t requests);

enum class RequestOrder : std::uint8_t {
  devices_first,   // the most devices on a node, then the most CPU of a node
  large_per_node,  // the most CPU of a node, then the most devices on it
  large_first,     // the most CPU in all
};

struct PackingHeuristic {
  RequestOrder requests = RequestOrder::devices_first;
  NodeOrder nodes = NodeOrder::spare_devices;
};
inline constexpr std::array<PackingHeuristic, 4> kPackingHeuristics = {{
    {RequestOrder::devices_first, NodeOrder::spare_devices},
    {RequestOrder::devices_first, NodeOrder::few_nodes},
    {RequestOrder::large_per_node, NodeOrder::few_nodes},
    {RequestOrder::large_first, NodeOrder::few_nodes},
}};

class Packer {
 public:
  Packer(Placer& placer, const FreeCapacity& capacity);

  [[nodiscard]] Packing empty(NodeOrder order) const { return {capacity_, {}, order, 0, 0}; }
  // Adds one request; false: it does not fit, nothing is changed.
  bool add(Packing& packing, std::uint32_t request);
  // Packs the whole set; false: with this heuristic it does not fit.
  bool pack_all(const RequestSet& set, PackingHeuristic heuristic, Packing& packing);
  // The whole set with any heuristic; the one that succeeded last is tried first.
  bool pack_all(const RequestSet& set, Packing& packing);
  // Of the set what fits.
  [[nodiscard]] Packing pack_some(const RequestSet& set, PackingHeuristic heuristic);
  // The whole set, or what of it fits with the first heuristic.
  [[nodiscard]] Packing pack_most(const RequestSet& set);

  // The packing as an answer.
  [[nodiscard]] Answer answer(const Packing& packing);

  [[nodiscard]] std::uint64_t work() const { return placer_.work(); }

 private:
  [[nodiscard]] const std::vector<std::uint32_t>& ordered(RequestOrder order) const {
    return ordered_[static_cast<std::size_t>(order)];
  }

  Placer& placer_;
  const FreeCapacity& capacity_;
  std::array<std::vector<std::uint32_t>, 3> ordered_;  // requests, by RequestOrder
  std::size_t last_success_ = 0;                       // heuristic
};

}  // namespace aliquot::ip
