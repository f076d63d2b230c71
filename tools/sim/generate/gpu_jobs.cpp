#include "tools/sim/generate/gpu_jobs.hpp"

#include <algorithm>
#include <cmath>

namespace aliquot {
namespace {

enum Purpose : std::uint64_t { kGap = 10 };  // and 11

}  // namespace

ClusterShape MachineL::shape() const {
  ClusterShape shape;
  shape.nodes = nodes;
  shape.cores_per_node = cores_per_node;
  NodeKind kind;
  kind.name = "n";
  kind.count = nodes;
  kind.cores = cores_per_node;
  kind.memory = shape.node_memory;
  if (gpus_per_node > 0) kind.devices.push_back({"GPU", gpus_per_node});
  shape.kinds.push_back(std::move(kind));
  return shape;
}

std::vector<std::size_t> shuffled(std::size_t n, const Chance& chance, std::uint64_t purpose) {
  std::vector<std::pair<std::uint64_t, std::size_t>> keys;
  for (std::size_t i = 0; i < n; ++i) keys.emplace_back(chance.draw(i, 0, purpose), i);
  std::ranges::sort(keys);
  std::vector<std::size_t> order;
  for (const auto& [key, i] : keys) order.push_back(i);
  return order;
}

std::vector<Instant> arrivals(std::size_t jobs, const Arrivals& how, const Chance& chance) {
  std::vector<Instant> at;
  double now_s = 0;
  for (std::size_t k = 0; k < jobs; ++k) {
    if (k >= how.at_once) now_s += std::max(0.0, how.mean_s + how.sigma_s * gaussian(chance, k, kGap));
    at.push_back({std::llround(now_s * 1e6)});
  }
  return at;
}

Workload workload_of(std::vector<GpuJob> jobs, const MachineL& machine) {
  std::ranges::stable_sort(jobs, {}, &GpuJob::submitted);
  const ClusterShape shape = machine.shape();
  Workload workload;
  workload.device_models = shape.device_models();
  const Decimal core{kPico / machine.cores_per_node};
  std::uint64_t number = 0;
  for (const GpuJob& job : jobs) {
    TraceJob record;
    record.id = {++number};
    record.submitted = job.submitted;
    record.tasks = job.cores;
    record.cpu_need = core;
    record.memory = {core.pico / 2};
    record.runtime = job.runtime;
    WorkloadJob made = make_job(record, shape);
    Demand& demand = made.submission.demand;
    if (job.cores_per_node > 0) {
      demand.spread.per_node = job.cores_per_node;
      demand.spread.min_nodes = (job.cores + job.cores_per_node - 1) / job.cores_per_node;
      demand.spread.max_nodes = demand.spread.min_nodes;
    }
    if (job.gpus_per_node > 0) {
      demand.devices.per_node = static_cast<std::uint16_t>(job.gpus_per_node);
      demand.movable = false;
      demand.min_yield = kFullYield;
    }
    workload.extra_columns.add(made.id, "profile", job.type);
    workload.jobs.push_back(std::move(made));
  }
  return workload;
}

Duration ideal_makespan(const std::vector<GpuJob>& jobs, const MachineL& machine) {
  Int128 area = 0;  // core microseconds
  for (const GpuJob& job : jobs) area += Int128{job.cores} * job.runtime.raw;
  return {static_cast<std::int64_t>(area / machine.cores())};
}

}  // namespace aliquot
