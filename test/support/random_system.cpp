#include "test/support/random_system.hpp"

#include <algorithm>
#include <array>
#include <vector>

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

struct EspType {
  double size;
  int count;
};
// Table 4 of the paper, without Z.
constexpr std::array<EspType, 13> kEsp = {{{0.03125, 75},
                                           {0.0625, 9},
                                           {0.5, 3},
                                           {0.25, 3},
                                           {0.5, 3},
                                           {0.0625, 9},
                                           {0.125, 6},
                                           {0.1582, 6},
                                           {0.03125, 24},
                                           {0.0625, 24},
                                           {0.0957, 15},
                                           {0.125, 36},
                                           {0.25, 15}}};

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

ip::Instance esp_window(std::uint64_t seed, const EspShape& shape) {
  Dice dice(seed);
  ip::Instance window;
  window.nodes = shape.nodes;
  window.kinds = {{0}};
  std::uint32_t busy = 0;
  for (std::uint32_t n = 0; n < shape.nodes; ++n) busy += dice.chance(shape.busy) ? 1 : 0;
  ip::Cell free;
  free.cpu = 8;
  free.devices[0] = 2;
  window.classes.push_back({free, shape.nodes - busy});
  if (shape.uneven) {  // some nodes are left half full
    ip::Cell part = free;
    for (std::uint32_t cpu = 1; cpu < 8 && busy > 7; ++cpu, busy -= busy / 8) {
      part.cpu = cpu;
      part.devices[0] = cpu % 2 == 0 ? std::uint16_t{2} : std::uint16_t{0};
      window.classes.push_back({part, busy / 8});
    }
  }
  std::vector<std::pair<std::uint32_t, std::uint16_t>> jobs;
  while (jobs.size() < shape.jobs) {
    for (const EspType& type : kEsp) {
      const auto cores = static_cast<std::int64_t>(type.size * shape.nodes + 0.5) * 8;
      for (int k = 0; k < 2 * type.count; ++k) {
        const std::int64_t off = shape.uneven ? dice.between(-4, 4) : 0;
        jobs.push_back({static_cast<std::uint32_t>(cores + off), std::uint16_t(k % 2 == 0 ? 0 : 2)});
      }
    }
  }
  for (std::size_t j = 0; j < shape.jobs; ++j) {
    const auto pick = static_cast<std::size_t>(
        dice.between(static_cast<std::int64_t>(j), static_cast<std::int64_t>(jobs.size()) - 1));
    std::swap(jobs[j], jobs[pick]);
    ip::Request r;
    r.units = jobs[j].first;
    r.devices = jobs[j].second;
    r.weight = 1'000'000 - static_cast<std::int64_t>(j);
    if (shape.by_cores) r.weight *= r.units;
    window.requests.push_back(r);
  }
  return window;
}

}  // namespace aliquot::test
