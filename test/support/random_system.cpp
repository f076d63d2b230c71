#include "test/support/random_system.hpp"

#include <algorithm>
#include <functional>

#include "test/support/random_view.hpp"

namespace aliquot::test {

namespace {

std::uint16_t narrow(std::int64_t value) { return static_cast<std::uint16_t>(value); }

void add_classes(Dice& dice, const SystemShape& shape, ip::Instance& system) {
  const std::int64_t nodes = dice.between(2, shape.most_nodes);
  const std::int64_t cores = dice.between(2, shape.most_cores);
  const bool second = dice.chance(40);
  system.nodes = static_cast<std::uint32_t>(nodes);
  system.kinds = {{0}, {1}, {}};
  const std::int64_t in_use = dice.between(0, 70);
  for (std::int64_t n = 0; n < nodes; ++n) {
    ip::FreeResources free;
    free.kind = second && n % 2 == 1 ? narrow(dice.between(1, 2)) : std::uint16_t{0};
    free.cpu = narrow(cores);
    if (shape.memory) free.memory = narrow(2 * cores);
    free.devices[0] = free.kind == 2 ? std::uint16_t{0} : std::uint16_t{2};
    if (dice.between(1, 100) <= in_use) {
      free.cpu = narrow(dice.between(0, cores));
      free.devices[0] = narrow(dice.between(0, free.devices[0]));
    }
    system.classes.push_back({free, 1});
  }
}

ip::Request random_request(Dice& dice, const SystemShape& shape, const ip::Instance& system) {
  ip::Request r;
  const std::int64_t nodes = system.nodes;
  r.units = static_cast<std::uint32_t>(dice.between(1, std::max<std::int64_t>(2, 3 * nodes)));
  r.weight = dice.between(1, 100);
  if (dice.chance(50)) {
    r.devices = narrow(dice.between(1, 2));
    if (dice.chance(30)) r.models = DeviceModel{narrow(dice.between(0, 1))};
    if (dice.chance(10)) r.models.add({narrow(dice.between(0, 2))});
    r.units = static_cast<std::uint32_t>(dice.between(1, std::max<std::int64_t>(2, 2 * nodes)));
  }
  if (dice.chance(25)) {
    r.min_nodes = static_cast<std::uint32_t>(dice.between(1, nodes));
    r.max_nodes = r.min_nodes + static_cast<std::uint32_t>(dice.between(0, 2));
    r.units = std::max(r.units, r.min_nodes);
  } else if (dice.chance(25)) {
    r.per_node = static_cast<std::uint32_t>(dice.between(1, 4));
    r.units = r.per_node * static_cast<std::uint32_t>(dice.between(1, nodes));
  }
  if (shape.memory) {
    r.cpu = narrow(dice.between(1, 2));
    r.memory = narrow(dice.between(0, 3));
  }
  return r;
}

// Half of the requests for devices ask for a slice, and some of the free devices have one in use.
void add_slices(Dice& dice, ip::Instance& system) {
  for (ip::Request& r : system.requests) {
    if (r.devices == 0 || dice.chance(40)) continue;
    r.devices = 1;
    r.parts = narrow(dice.chance(50) ? 100 * dice.between(1, 9) : dice.between(1, 999));
    system.least_slice = std::min(system.least_slice, r.parts);
  }
  for (ip::NodeClass& nodes : system.classes) {
    for (std::size_t c = 0; nodes.free.devices[0] > 0 && c < 2; ++c) {
      if (dice.chance(60)) continue;
      --nodes.free.devices[0];
      nodes.free.partials[c] = {narrow(dice.between(1, 999)), 0};
    }
    std::sort(nodes.free.partials.begin(), nodes.free.partials.end(), std::greater<>());
  }
}

}  // namespace

ip::Instance random_system(std::uint64_t seed, const SystemShape& shape) {
  Dice dice(seed);
  ip::Instance system;
  add_classes(dice, shape, system);
  const std::int64_t jobs = dice.between(2, shape.most_jobs);
  const bool by_units = dice.chance(30);
  for (std::int64_t j = 0; j < jobs; ++j) {
    system.requests.push_back(random_request(dice, shape, system));
    if (by_units) system.requests.back().weight *= system.requests.back().units;
  }
  if (shape.slices) add_slices(dice, system);
  return system;
}

}  // namespace aliquot::test
