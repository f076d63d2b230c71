// Sets of requests put together: a packing is a sequence of requests, placed one after the other.
//
// Finding room for a set is itself a hard problem (bin packing); it is tried in a few orders and styles,
// called recipes. What no recipe packs may still have a packing: an answer built from these is always
// feasible, but not always the best.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "policies/placement/relaxation.hpp"
#include "policies/placement/rooms.hpp"

namespace aliquot::ip {

struct Packing {
  Rooms rooms;  // what is left
  std::vector<std::uint32_t> sequence;
  Style style = Style::spare_devices;
  Value value = 0;
  std::uint64_t nodes = 0;  // of all requests together
};

// By request: 1 if it is in the set.
using Flags = std::vector<std::uint8_t>;

enum class Order : std::uint8_t {
  devices_first,  // who asks for the most devices a node, then who has the least choice of nodes
  bulk_first,     // who takes the most CPU of a node, then the same
  large_first,    // who takes the most CPU in all
};

struct Recipe {
  Order order = Order::devices_first;
  Style style = Style::spare_devices;
};

class Packer {
 public:
  Packer(Placer& placer, const Rooms& start);

  [[nodiscard]] Packing nothing(Style style) const { return {start_, {}, style, 0, 0}; }
  // One request more; false: no room, nothing is changed.
  bool add(Packing& packing, std::uint32_t request);
  // The whole set; false: by this recipe somebody finds no room.
  bool pack(const Flags& set, Recipe recipe, Packing& packing);
  // As many of the set as find room.
  void pack_some(const Flags& set, Recipe recipe, Packing& packing);
  // The whole set by whatever recipe works, the last one that did first.
  bool pack_somehow(const Flags& set, Packing& packing);

  // Chosen requests and takes: the packing done again, step by step.
  void write(const Packing& packing, Answer& answer);

  [[nodiscard]] static const std::array<Recipe, 7>& recipes();
  [[nodiscard]] std::uint64_t work() const { return placer_.work(); }

 private:
  Placer& placer_;
  const Rooms& start_;
  std::array<std::vector<std::uint32_t>, 3> order_;
  std::size_t favourite_ = 0;
};

[[nodiscard]] Flags flags_of(const Packing& packing, std::size_t requests);

}  // namespace aliquot::ip
