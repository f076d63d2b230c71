// A window of the ESP-2 benchmark in front of a large machine, as a problem of collective placement.
//
// Nodes of 8 cores and 2 GPUs, some of them busy; each job of the benchmark but Z twice, the copy with 2
// GPUs a node, in random order by seed (IPSCHED, sec. 5, Table 4). Its own random numbers (splitmix64), so
// that a seed means the same window everywhere.
#pragma once

#include <cstdint>

#include "policies/placement/model/instance.hpp"

namespace aliquot::bench {

struct EspShape {
  std::uint32_t nodes = 1024;
  std::uint32_t jobs = 200;
  int busy = 0;           // percent of the nodes
  bool by_cores = false;  // weighed by priority x cores
  bool uneven = false;    // -4 to 4 cores more (Table 7), and nodes in part in use
};

[[nodiscard]] ip::Instance esp_window(std::uint64_t seed, const EspShape& shape = {});

}  // namespace aliquot::bench
