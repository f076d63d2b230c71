// A random world, drawn from a seed: a cluster, jobs, what goes wrong, and what users do meanwhile.
#pragma once

#include <map>
#include <string>

#include "manager/hypervisor/model_options.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

// The rougher, the more may go wrong; the calmer, the more is demanded.
enum class Weather : std::uint8_t {
  calm,    // every action at once, nothing fails
  slow,    // actions take their time
  rough,   // and they fail, cleanly
  stormy,  // and outcomes are lost, VMs crash, nodes fall silent or die
};

struct World {
  std::uint64_t seed = 0;
  Weather weather = Weather::calm;
  ClusterShape shape;
  Workload workload;
  ModelOptions model;
  std::map<JobId, Instant> cancels;  // when their users lose patience
};

[[nodiscard]] World draw_world(std::uint64_t seed);
[[nodiscard]] const char* name(Weather weather);

}  // namespace aliquot
