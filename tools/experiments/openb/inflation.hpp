// The inflation experiment of the FGD paper: tasks arrive one by one in random order and never end, until
// the tasks have asked for more GPUs than the cluster has. How much of the GPUs is then in use, and why is
// the rest free?
//
// The tasks go through the manager's own core and the model hypervisor, so that the checker sees every
// plan. Deterministic by seed, except for the times of decisions. Source: Weng et al., "Beware of
// Fragmentation", USENIX ATC 2023, section 6.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/experiments/openb/openb_files.hpp"

namespace aliquot {

// Why devices are free at the end, as shares of all devices: for each task of the workload that wants a
// device and each free part, the first of these reasons that keeps the task from it; averaged over the
// tasks.
struct Stranded {
  double slice = 0;   // what is free of the device is less than the task asks for, or too few devices are
  double cpu = 0;     // it would do, but the node's CPU does not
  double memory = 0;  // nor, CPU aside, the memory
  double usable = 0;  // the task could have it
};

struct Inflation {
  static constexpr std::size_t kMarks = 100;

  std::string policy;
  std::uint64_t seed = 0;
  std::size_t tasks = 0;
  std::size_t refused = 0;
  double allocated = 0;  // share of the cluster's devices
  // Allocated when so many hundredths of the devices had been asked for; [0] is 1 %.
  std::array<double, kMarks> at{};
  Stranded stranded;
  double decision_us_mean = 0;
  double decision_us_max = 0;
};

// The policy by its name in the registry, made anew. Errors: an unknown policy; a plan that the checker
// refused.
[[nodiscard]] Result<Inflation> inflate(const OpenbCluster& cluster, const std::vector<Demand>& tasks,
                                        const std::string& policy, std::uint64_t seed);

}  // namespace aliquot
