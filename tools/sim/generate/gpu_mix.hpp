// Workloads I to V of the second placement paper (AUCSCHED, sec. 5.2, Table 12): jobs that ask for cores
// only, for cores and nodes, or for one or two GPUs on each of their nodes, in the shares of the table.
//
// Run times are uniform in 60 to 600 s, cores a uniform multiple of the cores of a node. A job that asks
// for nodes takes 4 or 8 cores on each; a job that asks for g GPUs per node takes 1 or 2 cores per GPU. The
// paper does not give the most cores of a job, the length of a workload and the arrivals. Here the most
// cores equal the number of nodes (a GPU job of one core per node must fit); there are as many jobs as make
// the ideal makespan about two hours; 50 jobs arrive at the start, the others with Gaussian times between
// them, 1.6 times as fast as the machine can work, as in ESP.
#pragma once

#include "tools/sim/generate/gpu_jobs.hpp"

namespace aliquot {

enum class GpuMix : std::uint8_t { I, II, III, IV, V };
inline constexpr std::array kGpuMixes = {GpuMix::I, GpuMix::II, GpuMix::III, GpuMix::IV, GpuMix::V};
[[nodiscard]] std::string name_of(GpuMix mix);  // "I"
[[nodiscard]] Result<GpuMix> gpu_mix_named(const std::string& name);

struct GpuMixOptions {
  GpuMix mix = GpuMix::V;
  std::uint32_t seed = 1;
  std::uint32_t most_cores = 1024;  // of a job
  double ideal_s = 7200;            // about
  double load = 1.6;                // of arrivals after the first 50
  double sigma_s = Arrivals{}.sigma_s;
  MachineL machine = {};
};

[[nodiscard]] std::vector<GpuJob> gpu_mix_jobs(const GpuMixOptions& options);

}  // namespace aliquot
