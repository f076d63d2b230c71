#include "tools/experiments/collocation/mixed_trace.hpp"

#include <algorithm>
#include <cmath>

#include "tools/experiments/collocation/mixed_cluster.hpp"
#include "tools/sim/generate/gpu_jobs.hpp"

namespace aliquot::collocation {
namespace {

enum Purpose : std::uint64_t {
  kSubmitted,
  kRuntime,
  kEstimate,
  kTasks,
  kCpu,
  kMemoryPart,
  kGpus,
  kModel,
  kMuch
};

// The draws for one job. The two kinds of jobs have seeds apart.
class Draws {
 public:
  Draws(const Chance& chance, std::uint64_t job) : chance_(chance), job_(job) {}

  // In [0, 1).
  [[nodiscard]] double part(Purpose purpose) const { return uniform(chance_, job_, purpose); }
  // Uniform in [least, most].
  [[nodiscard]] std::uint32_t count(std::uint32_t least, std::uint32_t most, Purpose purpose) const {
    return least + static_cast<std::uint32_t>(chance_.up_to(most - least, job_, 0, purpose));
  }
  // Log-uniform, in whole seconds.
  [[nodiscard]] Duration duration(double least_s, double most_s, Purpose purpose) const {
    return seconds(std::llround(least_s * std::pow(most_s / least_s, part(purpose))));
  }

 private:
  const Chance& chance_;
  std::uint64_t job_;
};

class Generator {
 public:
  Generator(const MixedTrace& trace, const ClusterShape& shape)
      : trace_(trace), shape_(shape), models_(shape.device_models()) {
    for (const NodeKind& kind : shape.kinds) {
      all_cores_ += double{kCores} * kind.count;
      if (!kind.devices.empty()) gpu_nodes_ += kind.count;
      has_much_memory_ = has_much_memory_ || kind.memory == kMuchMemory;
    }
  }

  std::vector<WorkloadJob> jobs() {
    std::vector<WorkloadJob> jobs;
    const double time = to_seconds(trace_.time);
    double left_cores = all_cores_ * time;  // core seconds
    const Chance of_gpu_jobs(std::uint64_t{trace_.seed} * 2);
    double wanted = trace_.load * gpu_nodes_ * time;  // node seconds
    for (std::uint64_t k = 0; wanted > 0; ++k) {
      jobs.push_back(gpu_job(Draws(of_gpu_jobs, k)));
      const double nodes = node_seconds(jobs.back());
      wanted -= nodes;
      left_cores -= nodes * to_cores(jobs.back());
    }
    const Chance of_cpu_jobs(std::uint64_t{trace_.seed} * 2 + 1);
    wanted = trace_.load * left_cores;
    for (std::uint64_t k = 0; wanted > 0; ++k) {
      jobs.push_back(cpu_job(Draws(of_cpu_jobs, k)));
      wanted -= node_seconds(jobs.back()) * to_cores(jobs.back());
    }
    return jobs;
  }

 private:
  static double node_seconds(const WorkloadJob& job) {
    return to_seconds(job.runtime()) * job.submission.demand.tasks;
  }
  static double to_cores(const WorkloadJob& job) {
    return static_cast<double>(job.submission.demand.need.raw) / kMillion;
  }

  // `part`: of the memory of a common node.
  WorkloadJob job_of(const Draws& draws, std::uint32_t tasks, std::uint32_t cpus, double part,
                     Duration runtime) const {
    TraceJob record;
    record.submitted = Instant{std::llround(draws.part(kSubmitted) * static_cast<double>(trace_.time.raw))};
    record.tasks = tasks;
    record.cpu_need = {kPico * cpus / kCores};
    record.memory = {std::llround(part * 100) * (kPico / 100)};  // whole percent
    record.runtime = runtime;
    record.estimate = seconds(std::llround(to_seconds(runtime) * (1 + 2 * draws.part(kEstimate))));
    WorkloadJob job = make_job(record, shape_);
    job.submission.demand.need = cores(cpus);
    return job;
  }

  WorkloadJob gpu_job(const Draws& draws) const {
    const std::uint32_t nodes = draws.count(1, std::min(3U, least_of_a_model()), kTasks);
    WorkloadJob job = job_of(draws, nodes, draws.count(1, 3, kCpu), 0.1 + 0.3 * draws.part(kMemoryPart),
                             draws.duration(300, 21'600, kRuntime));
    Demand& demand = job.submission.demand;
    demand.spread = {nodes, nodes, 1};
    demand.devices.per_node = static_cast<std::uint16_t>(draws.count(1, kGpusPerNode, kGpus));
    demand.devices.models = models_for(draws.part(kModel));
    demand.movable = false;
    demand.min_yield = kFullYield;
    return job;
  }

  WorkloadJob cpu_job(const Draws& draws) const {
    const Duration runtime = draws.duration(60, 14'400, kRuntime);
    const std::uint32_t cpus = draws.count(1, kCores, kCpu);
    const double part = draws.part(kMemoryPart);
    if (has_much_memory_ && draws.part(kMuch) < 0.1)
      return job_of(draws, 1, cpus, 1.1 + 1.4 * part, runtime);
    return job_of(draws, draws.count(1, 4, kTasks), cpus, 0.05 + 0.45 * part, runtime);
  }

  DeviceModels models_for(double part) const {
    const auto count = static_cast<double>(models_.size());
    if (part < 0.5) return {};
    const auto first = static_cast<std::uint16_t>((part - 0.5) * 4 * count);
    const auto wrapped = static_cast<std::uint16_t>(first % models_.size());
    DeviceModels models = DeviceModel{wrapped};
    if (part >= 0.75) models.add({static_cast<std::uint16_t>((wrapped + 1U) % models_.size())});
    return models;
  }
  [[nodiscard]] std::uint32_t least_of_a_model() const {
    std::uint32_t least = UINT32_MAX;
    for (const NodeKind& kind : shape_.kinds)
      if (!kind.devices.empty()) least = std::min(least, kind.count);
    return least;
  }

  MixedTrace trace_;
  const ClusterShape& shape_;
  std::vector<std::string> models_;
  double all_cores_ = 0;
  double gpu_nodes_ = 0;
  bool has_much_memory_ = false;
};

}  // namespace

Workload mixed_workload(const MixedTrace& trace, const ClusterShape& shape) {
  Workload workload;
  workload.device_models = shape.device_models();
  workload.jobs = Generator(trace, shape).jobs();
  std::ranges::stable_sort(workload.jobs, {}, &WorkloadJob::submitted);
  std::uint64_t number = 0;
  for (WorkloadJob& job : workload.jobs) job.id = {++number};
  return workload;
}

}  // namespace aliquot::collocation
