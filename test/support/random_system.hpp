// Random problems of collective placement, by seed: small ones, to compare with an optimum.
#pragma once

#include <cstdint>

#include "policies/placement/model/instance.hpp"

namespace aliquot::test {

struct SystemShape {
  std::uint32_t most_nodes = 12;
  std::uint32_t most_jobs = 7;
  std::uint32_t most_cores = 8;
  bool memory = false;  // counts too, and units take more than a step of CPU
  bool slices = false;  // of devices are asked for, and some devices are cut already
};

// Some nodes in use, of one or two kinds; jobs that ask for cores, numbers of nodes, devices.
[[nodiscard]] ip::Instance random_system(std::uint64_t seed, const SystemShape& shape = {});

}  // namespace aliquot::test
