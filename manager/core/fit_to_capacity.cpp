#include "manager/core/fit_to_capacity.hpp"

#include <algorithm>
#include <vector>

#include "manager/core/job_transitions.hpp"
#include "manager/core/lost_vms.hpp"
#include "manager/core/moves.hpp"

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

// A size of 0 means that the node has not told it yet, not that it is too small.
bool has_too_little(const Node& node, Memory needed) {
  return node.memory < needed && node.memory + node.memory_taken > Memory{};
}
bool has_too_little(const Node& node, Cpu needed) {
  return node.capacity < needed && node.capacity + node.capacity_taken > Cpu{};
}

// Is the node too small even if every yield is lowered to its floor?
bool holds_too_much(const ClusterView& view, NodeId id) {
  const NodeLoad& load = view.index.load(id);
  const Node& node = view.nodes[id.raw];
  return has_too_little(node, load.memory) || has_too_little(node, load.guaranteed);
}

// Lowers all yields on the node by one factor, but none below its floor; repeated, because those at their
// floors leave the others less. Ends, since the floors fit.
void lower_yields(ClusterState& state, NodeId node, const std::vector<JobId>& jobs) {
  const ClusterView& view = state.core.view;
  const Cpu capacity = view.nodes[node.raw].capacity;
  const NodeLoad& load = view.index.load(node);
  for (bool any_lower = true; any_lower && load.given > capacity;) {
    any_lower = false;
    const Cpu given = load.given;
    for (const JobId id : jobs) {
      const Job& job = view.jobs.at(id);
      if (!is_on(job, node)) continue;
      const auto share = static_cast<std::int64_t>(Int128{job.yield.raw} * capacity.raw / given.raw);
      const Yield lower = std::max(floor_of(job.demand), Yield{share});
      if (lower >= job.yield) continue;
      adopt(state, {id, job.placement, lower, job.devices});
      any_lower = true;
    }
  }
}

}  // namespace

void fit_to_capacity(ClusterState& state, NodeId id) {
  ClusterView& view = state.core.view;
  Node& node = view.nodes[id.raw];
  const NodeLoad& load = view.index.load(id);
  if (!has_too_little(node, load.memory) && !has_too_little(node, load.given)) return;
  if (node.usable() && state.core.mode == Mode::automatic) {
    const std::vector<JobId> jobs = jobs_on(view, id);
    for (const JobId job : jobs) {
      if (!holds_too_much(view, id)) break;
      const Job& candidate = view.jobs.at(job);
      if (!must_stay(candidate) && candidate.demand.movable && candidate.devices.empty())
        displace(state, job);
    }
    if (!has_too_little(node, load.guaranteed) && has_too_little(node, load.given))
      lower_yields(state, id, jobs);
  }
  if (has_too_little(node, load.memory)) {
    node.memory_taken -= load.memory - node.memory;
    node.memory = load.memory;
  }
  if (has_too_little(node, load.given)) {
    node.capacity_taken -= load.given - node.capacity;
    node.capacity = load.given;
  }
}

}  // namespace aliquot
