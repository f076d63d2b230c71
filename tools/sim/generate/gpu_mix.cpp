#include "tools/sim/generate/gpu_mix.hpp"

#include <algorithm>
#include <array>

namespace aliquot {
namespace {

enum Purpose : std::uint64_t { kKind = 1, kCores = 2, kRuntime = 3, kShare = 4 };

constexpr std::int64_t kShortest = 60, kLongest = 600;  // s
constexpr std::size_t kMostJobs = 100'000;

// Table 12 in whole parts: cores only, nodes, 1 GPU a node, 2 GPUs a node.
struct Shares {
  std::array<std::uint32_t, 4> parts;
};
constexpr std::array<Shares, 5> kShares = {
    {{{1, 0, 0, 0}}, {{0, 1, 0, 0}}, {{1, 1, 0, 0}}, {{2, 2, 1, 0}}, {{2, 2, 1, 1}}}};
constexpr std::array<const char*, 5> kNames = {"I", "II", "III", "IV", "V"};
constexpr std::array<const char*, 4> kTypes = {"cores", "nodes", "1gpu", "2gpu"};

std::size_t kind_of(const Shares& shares, std::uint64_t drawn) {
  std::uint64_t all = 0;
  for (const std::uint32_t part : shares.parts) all += part;
  std::uint64_t left = drawn % all;
  std::size_t kind = 0;
  while (left >= shares.parts[kind]) left -= shares.parts[kind++];
  return kind;
}

GpuJob draw_job(const GpuMixOptions& options, const Chance& chance, std::size_t j) {
  const std::uint32_t step = options.machine.cores_per_node;
  const std::int64_t steps = std::max<std::int64_t>(options.most_cores / step, 1);
  GpuJob job;
  const std::size_t kind =
      kind_of(kShares[static_cast<std::size_t>(options.mix)], chance.draw(j, 0, kKind));
  job.type = kTypes[kind];
  job.cores = static_cast<std::uint32_t>(1 + chance.up_to(steps - 1, j, 0, kCores)) * step;
  job.runtime = seconds(kShortest + chance.up_to(kLongest - kShortest, j, 0, kRuntime));
  const bool second = chance.up_to(1, j, 0, kShare) == 1;
  if (kind == 1) job.cores_per_node = second ? 8 : 4;
  if (kind >= 2) {
    job.gpus_per_node = static_cast<std::uint32_t>(kind - 1);
    job.cores_per_node = (second ? 2 : 1) * job.gpus_per_node;
  }
  return job;
}

}  // namespace

std::string name_of(GpuMix mix) { return kNames[static_cast<std::size_t>(mix)]; }

Result<GpuMix> gpu_mix_named(const std::string& name) {
  for (const GpuMix mix : kGpuMixes) {
    if (name == name_of(mix)) return mix;
  }
  return fail(ErrorKind::invalid_argument,
              "'" + name + "' is no workload of the paper: I, II, III, IV or V");
}

std::vector<GpuJob> gpu_mix_jobs(const GpuMixOptions& options) {
  const Chance chance(options.seed);
  std::vector<GpuJob> jobs;
  double area = 0;
  const double wanted = options.ideal_s * options.machine.cores();
  while (area < wanted && jobs.size() < kMostJobs) {
    jobs.push_back(draw_job(options, chance, jobs.size()));
    area += to_seconds(jobs.back().runtime) * jobs.back().cores;
  }
  Arrivals how;
  how.sigma_s = options.sigma_s;
  how.mean_s = area / options.machine.cores() / static_cast<double>(jobs.size()) / options.load;
  const std::vector<Instant> at = arrivals(jobs.size(), how, chance);
  for (std::size_t j = 0; j < jobs.size(); ++j) jobs[j].submitted = at[j];
  return jobs;
}

}  // namespace aliquot
