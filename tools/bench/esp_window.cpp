#include "tools/bench/esp_window.hpp"

#include <array>
#include <utility>
#include <vector>

namespace aliquot::bench {

namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // Uniform in [low, high], all but exactly: the ranges are small.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return low + static_cast<std::int64_t>(z % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::uint64_t state_;
};

struct EspType {
  double size;  // of the machine
  int count;
};
// Table 4, A to M.
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

void add_nodes(Random& random, const EspShape& shape, ip::Instance& window) {
  std::uint32_t busy = 0;
  for (std::uint32_t n = 0; n < shape.nodes; ++n) busy += random.between(1, 100) <= shape.busy ? 1 : 0;
  ip::FreeResources free;
  free.cpu = 8;
  free.devices[0] = 2;
  window.classes.push_back({free, shape.nodes - busy});
  for (std::uint32_t cpu = 1; shape.uneven && cpu < 8; ++cpu) {
    free.cpu = cpu;
    free.devices[0] = cpu % 2 == 0 ? std::uint16_t{2} : std::uint16_t{0};
    window.classes.push_back({free, busy / 8});
  }
}

}  // namespace

ip::Instance esp_window(std::uint64_t seed, const EspShape& shape) {
  Random random(seed);
  ip::Instance window;
  window.nodes = shape.nodes;
  window.kinds = {{0}};
  add_nodes(random, shape, window);
  std::vector<std::pair<std::uint32_t, std::uint16_t>> jobs;
  while (jobs.size() < shape.jobs) {
    for (const EspType& type : kEsp) {
      const auto cores = static_cast<std::int64_t>(type.size * shape.nodes + 0.5) * 8;
      for (int k = 0; k < 2 * type.count; ++k) {
        const std::int64_t off = shape.uneven ? random.between(-4, 4) : 0;
        jobs.push_back({static_cast<std::uint32_t>(cores + off), std::uint16_t(k % 2 == 0 ? 0 : 2)});
      }
    }
  }
  for (std::size_t j = 0; j < shape.jobs; ++j) {
    const auto last = static_cast<std::int64_t>(jobs.size()) - 1;
    std::swap(jobs[j], jobs[static_cast<std::size_t>(random.between(static_cast<std::int64_t>(j), last))]);
    ip::Request r;
    r.units = jobs[j].first;
    r.devices = jobs[j].second;
    // As Slurm's basic priority: a large number, 1 less for each later job.
    r.weight = (std::int64_t{1} << 32) - static_cast<std::int64_t>(j);
    if (shape.by_cores) r.weight *= r.units;
    window.requests.push_back(r);
  }
  return window;
}

}  // namespace aliquot::bench
