// The inflation experiment of the FGD paper: tasks come one after the other, drawn in random order, until
// the GPUs that were asked for exceed the cluster's; none ever ends. How much of the GPUs is then in use,
// and why not the rest?
//
// The tasks go through the manager's own core and the model hypervisor: the policy decides over a view,
// the checker looks at every plan. Deterministic by seed, times of decisions aside.
// Source: Weng et al., "Beware of Fragmentation", USENIX ATC 2023, section 6.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/sim/openb/openb_files.hpp"

namespace aliquot {

// Of the parts that are free at the end, as shares of all: each part is asked about by every task of the
// workload that wants a device, and the answers are averaged.
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
