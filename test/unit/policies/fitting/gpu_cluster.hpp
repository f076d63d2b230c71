// Small clusters with GPUs, for examples worked out by hand.
#pragma once

#include <algorithm>

#include "policies/policy.hpp"

namespace aliquot::test {

class GpuCluster {
 public:
  GpuCluster() {
    view.now = Instant{} + seconds(1000);
    view.device_models = {"A", "B"};
  }

  GpuCluster& node(std::int64_t cpus, std::uint16_t gpus, DeviceModel model = {0}) {
    Node node;
    node.id = {static_cast<std::uint32_t>(view.nodes.size())};
    node.name = "n" + std::to_string(node.id.raw);
    node.capacity = cores(cpus);
    node.cores = static_cast<std::uint32_t>(cpus);
    node.memory = mebibytes(64 * cpus);
    node.devices.assign(gpus, {model, kWholeDevice});
    view.nodes.push_back(std::move(node));
    return *this;
  }
  // Has just arrived; its memory is in proportion to its CPU.
  Job& asks(std::uint32_t tasks, std::int64_t cpus, DeviceDemand devices = {}) {
    const JobId id{view.jobs.size() + 1};
    Job& job = view.jobs[id];
    job.id = id;
    job.demand.tasks = tasks;
    job.demand.need = cores(cpus);
    job.demand.memory = mebibytes(64 * cpus);
    job.demand.devices = devices;
    job.demand.movable = !devices.any();
    job.submitted = job.phase_since = job.progress.since = view.now;
    view.cause.arrived.push_back(id);
    return job;
  }
  Job& holds(NodeId node, std::int64_t cpus, DeviceDemand devices, DeviceSet slots) {
    Job& job = asks(1, cpus, devices);
    view.cause.arrived.pop_back();
    job.phase = Phase::running;
    job.placement = {{node, 1}};
    job.devices = {slots};
    job.yield = job.progress.rate = kFullYield;
    return job;
  }
  // A job without devices that runs there.
  Job& runs(NodeId node, std::int64_t cpus, std::int64_t memory_mib) {
    Job& job = asks(1, cpus);
    view.cause.arrived.pop_back();
    job.demand.memory = mebibytes(memory_mib);
    job.phase = Phase::running;
    job.placement = {{node, 1}};
    job.yield = job.progress.rate = kFullYield;
    return job;
  }
  [[nodiscard]] Plan decide(std::string_view policy) const { return (*make_policy(policy))->decide(view); }

  ClusterView view;
};

inline DeviceDemand whole(std::uint16_t count, DeviceModel model = kAnyModel) {
  return {count, kWholeDevice, model};
}
// None: the plan leaves the job as it is.
inline const Change* change_of(const Plan& plan, JobId job) {
  const auto at = std::ranges::find(plan.changes, job, &Change::job);
  return at == plan.changes.end() ? nullptr : &*at;
}
inline DeviceDemand slice(std::uint16_t parts) { return {1, parts, kAnyModel}; }

}  // namespace aliquot::test
