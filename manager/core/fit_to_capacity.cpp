#include "manager/core/fit_to_capacity.hpp"

#include <algorithm>
#include <vector>

#include "manager/core/job_transitions.hpp"

namespace aliquot {
namespace {

bool is_on(const Job& job, NodeId node) {
  return std::ranges::any_of(job.placement, [node](const Share& share) { return share.node == node; });
}

// The jobs that the plan in force has on the node, the newest first.
std::vector<JobId> jobs_on(const ClusterView& view, NodeId node) {
  std::vector<JobId> jobs;
  for (const JobId id : view.index.placed())
    if (is_on(view.jobs.at(id), node)) jobs.push_back(id);
  std::ranges::reverse(jobs);
  return jobs;
}

// What the node must have at the least: all memory, and the guaranteed CPU.
bool holds_too_much(const ClusterView& view, NodeId node) {
  const NodeLoad& load = view.index.load(node);
  return load.memory > view.nodes[node.raw].memory || load.guaranteed > view.nodes[node.raw].capacity;
}

void take_off(ClusterState& state, JobId id) {
  adopt(state, {id, {}, {}});
  arrive(state, id);
}

// All yields on the node by one factor, but none below its floor. The floors fit.
void lower_yields(ClusterState& state, NodeId node, const std::vector<JobId>& jobs) {
  const ClusterView& view = state.core.view;
  const Cpu capacity = view.nodes[node.raw].capacity;
  const NodeLoad& load = view.index.load(node);
  while (load.given > capacity) {
    const Cpu given = load.given;
    for (const JobId id : jobs) {
      const Job& job = view.jobs.at(id);
      if (!is_on(job, node)) continue;
      const auto share = static_cast<std::int64_t>(Int128{job.yield.raw} * capacity.raw / given.raw);
      const Yield lower = std::max(floor_of(job.demand), Yield{share});
      if (lower < job.yield) adopt(state, {id, job.placement, lower, job.devices});
    }
    if (load.given == given) return;
  }
}

}  // namespace

void fit_to_capacity(ClusterState& state, NodeId id) {
  ClusterView& view = state.core.view;
  Node& node = view.nodes[id.raw];
  const NodeLoad& load = view.index.load(id);
  if (load.memory <= node.memory && load.given <= node.capacity) return;
  if (node.usable() && state.core.mode == Mode::automatic) {
    const std::vector<JobId> jobs = jobs_on(view, id);
    for (const JobId job : jobs) {
      if (!holds_too_much(view, id)) break;
      const Job& candidate = view.jobs.at(job);
      if (!candidate.pinned && candidate.demand.movable && candidate.devices.empty()) take_off(state, job);
    }
    if (load.guaranteed <= node.capacity) lower_yields(state, id, jobs);
  }
  node.memory_taken -= std::max(Memory{}, load.memory - node.memory);
  node.memory = std::max(node.memory, load.memory);
  node.capacity_taken -= std::max(Cpu{}, load.given - node.capacity);
  node.capacity = std::max(node.capacity, load.given);
}

}  // namespace aliquot
