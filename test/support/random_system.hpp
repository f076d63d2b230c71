// Random problems of collective placement, by seed: small ones to compare with an optimum, and windows of
// the ESP benchmark on a large machine (IPSCHED, sec. 5, Table 4).
#pragma once

#include <cstdint>

#include "policies/placement/instance.hpp"

namespace aliquot::test {

struct SystemShape {
  std::uint32_t most_nodes = 12;
  std::uint32_t most_jobs = 7;
  std::uint32_t most_cores = 8;
  bool memory = false;  // counts too, and units take more than a step of CPU
};

// Some nodes in use, of one or two kinds; jobs that ask for cores, numbers of nodes, devices.
[[nodiscard]] ip::Instance random_system(std::uint64_t seed, const SystemShape& shape = {});

// Some of the nodes are busy (`busy` percent); 8 cores and 2 GPUs each. The window is of the doubled ESP
// jobs in random order, weighed by their place in it, by their cores too if `by_cores`; `uneven` adds
// -4 to 4 cores to each (Table 7).
struct EspShape {
  std::uint32_t nodes = 1024;
  std::uint32_t jobs = 200;
  int busy = 0;
  bool by_cores = false;
  bool uneven = false;
};
[[nodiscard]] ip::Instance esp_window(std::uint64_t seed, const EspShape& shape = {});

}  // namespace aliquot::test
