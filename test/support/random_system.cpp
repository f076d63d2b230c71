#include "test/support/random_system.hpp"

#include <algorithm>

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
    ip::Cell free;
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
    if (dice.chance(30)) r.model = narrow(dice.between(0, 1));
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
  return system;
}

}  // namespace aliquot::test
