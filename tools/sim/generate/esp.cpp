#include "tools/sim/generate/esp.hpp"

#include <algorithm>
#include <cmath>

namespace aliquot {
namespace {

enum Purpose : std::uint64_t { kOrder = 1, kVary = 2 };

constexpr std::int64_t kFirstZ = 40 * 60, kSecondZ = 120 * 60;  // s; twice that when doubled

std::uint32_t rounded_cores(double size, const MachineL& machine) {
  return static_cast<std::uint32_t>(std::lround(size * machine.nodes)) * machine.cores_per_node;
}

}  // namespace

const std::array<EspType, 14>& esp_types() {
  static constexpr std::array<EspType, 14> kTypes = {{{"A", 0.03125, 75, 257},
                                                      {"B", 0.06250, 9, 341},
                                                      {"C", 0.50000, 3, 536},
                                                      {"D", 0.25000, 3, 601},
                                                      {"E", 0.50000, 3, 312},
                                                      {"F", 0.06250, 9, 1846},
                                                      {"G", 0.12500, 6, 1321},
                                                      {"H", 0.15820, 6, 1078},
                                                      {"I", 0.03125, 24, 1438},
                                                      {"J", 0.06250, 24, 715},
                                                      {"K", 0.09570, 15, 495},
                                                      {"L", 0.12500, 36, 369},
                                                      {"M", 0.25000, 15, 192},
                                                      {"Z", 1.00000, 2, 100}}};
  return kTypes;
}

double esp_ideal_s(bool gpus) {
  double sum = 0;
  for (const EspType& type : esp_types()) {
    const double copies = gpus && type.name != "Z" ? 2 : 1;
    sum += copies * type.size * type.count * static_cast<double>(type.runtime_s);
  }
  return sum;
}

std::vector<GpuJob> esp_jobs(const EspOptions& options) {
  const Chance chance(options.seed);
  std::vector<GpuJob> jobs;
  std::vector<GpuJob> whole;  // Z
  for (const EspType& type : esp_types()) {
    GpuJob job;
    job.type = type.name;
    job.cores = rounded_cores(type.size, options.machine);
    job.runtime = seconds(type.runtime_s);
    std::vector<GpuJob>& into = type.name == "Z" ? whole : jobs;
    into.insert(into.end(), type.count, job);
    if (!options.gpus || type.name == "Z") continue;
    job.type += "+" + std::to_string(options.machine.gpus_per_node) + "gpu";
    job.gpus_per_node = options.machine.gpus_per_node;
    into.insert(into.end(), type.count, job);
  }
  Arrivals how;
  how.sigma_s = options.sigma_s;
  const std::vector<std::size_t> order = shuffled(jobs.size(), chance, kOrder);
  const std::vector<Instant> at = arrivals(jobs.size(), how, chance);
  std::vector<GpuJob> come;
  for (std::size_t k = 0; k < order.size(); ++k) {
    come.push_back(jobs[order[k]]);
    come.back().submitted = at[k];
  }
  const std::int64_t times = options.gpus ? 2 : 1;
  for (std::size_t z = 0; z < whole.size(); ++z) {
    whole[z].submitted = Instant{} + seconds(times * (z == 0 ? kFirstZ : kSecondZ));
    come.push_back(whole[z]);
  }
  for (std::size_t j = 0; options.vary && j < come.size(); ++j) {
    const std::int64_t more = chance.up_to(8, j, 0, kVary) - 4;
    const std::int64_t cores = std::clamp<std::int64_t>(come[j].cores + more, 1, options.machine.cores());
    come[j].cores = static_cast<std::uint32_t>(cores);
  }
  return come;
}

}  // namespace aliquot
