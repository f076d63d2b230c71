// Numbers of a Gaussian distribution by counter: a number is a function of the seed and of what it is drawn
// for. Box and Muller's method, the cosine alone.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "manager/hypervisor/model/chance.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

// In [0, 1), of 53 bits.
[[nodiscard]] inline double uniform(const Chance& chance, std::uint64_t of, std::uint64_t purpose) {
  return std::ldexp(static_cast<double>(chance.draw(of, 0, purpose) >> 11), -53);
}

// Mean 0, standard deviation 1. Uses the purposes `purpose` and `purpose` + 1.
[[nodiscard]] inline double gaussian(const Chance& chance, std::uint64_t of, std::uint64_t purpose) {
  const double radius = std::sqrt(-2 * std::log(1 - uniform(chance, of, purpose)));
  return radius * std::cos(2 * std::numbers::pi * uniform(chance, of, purpose + 1));
}

// Jobs of the placement papers before they are a workload: cores, nodes, GPUs, run time; and the system
// that they are for, Machine-L (AUCSCHED, sec. 5): 1,024 nodes of 8 cores and 2 GPUs.
//
// A core is a task of 1/8 of a node. Memory never binds: 8 tasks need half of a node's. A job with GPUs is
// not movable and is guaranteed its whole CPU.

struct MachineL {
  std::uint32_t nodes = 1024;
  std::uint32_t cores_per_node = 8;
  std::uint32_t gpus_per_node = 2;

  [[nodiscard]] std::uint32_t cores() const { return nodes * cores_per_node; }
  [[nodiscard]] ClusterShape shape() const;
};

struct GpuJob {
  std::string type;  // "A", "A+2gpu": what it is called in reports
  std::uint32_t cores = 1;
  std::uint32_t cores_per_node = 0;  // asked for on each; 0: not asked for
  std::uint32_t gpus_per_node = 0;
  Duration runtime;
  Instant submitted;
};

// A random permutation of 0 to n - 1.
[[nodiscard]] std::vector<std::size_t> shuffled(std::size_t n, const Chance& chance, std::uint64_t purpose);

// Arrivals: `at_once` jobs at time 0, the others with Gaussian times between them, cut off at 0.
struct Arrivals {
  std::size_t at_once = 50;
  double mean_s = 30;
  double sigma_s = 5;  // the papers do not say; 0 to 10 s change mean waits by 0.01 h
};
[[nodiscard]] std::vector<Instant> arrivals(std::size_t jobs, const Arrivals& how, const Chance& chance);

// In the order of submission, numbered from 1. Their types stand in Workload::words as "profile".
[[nodiscard]] Workload workload_of(std::vector<GpuJob> jobs, const MachineL& machine);

// The sum of cores x run time over all cores of the machine, by which the papers measure utilisation. No
// schedule is shorter.
[[nodiscard]] Duration ideal_makespan(const std::vector<GpuJob>& jobs, const MachineL& machine);

}  // namespace aliquot
