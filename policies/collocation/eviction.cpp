#include "policies/collocation/eviction.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace aliquot {
namespace {

struct Held {
  Memory memory;
  Cpu guaranteed;

  void add(const Demand& demand, std::uint32_t tasks) {
    memory += demand.memory * tasks;
    guaranteed += guaranteed_cpu(demand) * tasks;
  }
  void remove(const Demand& demand, std::uint32_t tasks) {
    memory -= demand.memory * tasks;
    guaranteed -= guaranteed_cpu(demand) * tasks;
  }
};

// A job that may be evicted, and what it has on one node.
struct Tenant {
  const Job* job = nullptr;
  std::uint32_t tasks = 0;
};

bool may_be_evicted(const Job& job) {
  return !is_constrained(job.demand) && job.demand.movable && !job.pinned;
}

// By node: what is on it once the plan is in force, and which jobs could leave.
struct Tenancy {
  std::vector<Held> held;
  std::vector<std::vector<Tenant>> tenants;

  Tenancy(const ClusterView& view, const Plan& placed)
      : held(view.nodes.size()), tenants(view.nodes.size()) {
    auto change = placed.changes.begin();
    for (const auto& [id, job] : view.jobs) {
      while (change != placed.changes.end() && change->job < id) ++change;
      const bool changes = change != placed.changes.end() && change->job == id;
      for (const Share& share : changes ? change->placement : job.placement) {
        held[share.node.raw].add(job.demand, share.units);
        if (may_be_evicted(job)) tenants[share.node.raw].push_back({&job, share.units});
      }
    }
  }
  void leave(const Job& job) {
    for (const Share& share : job.placement) held[share.node.raw].remove(job.demand, share.units);
  }
  [[nodiscard]] bool over_full(const Node& node) const {
    const Held& here = held[node.id.raw];
    return here.memory > node.memory || here.guaranteed > node.capacity;
  }
};

std::set<NodeId> nodes_used(const Plan& placed) {
  std::set<NodeId> nodes;
  for (const Change& change : placed.changes)
    for (const Share& share : change.placement) nodes.insert(share.node);
  return nodes;
}

}  // namespace

std::vector<JobId> evicted_by(const ClusterView& view, const Plan& placed) {
  Tenancy tenancy(view, placed);
  std::set<JobId> evicted;
  for (const NodeId node : nodes_used(placed)) {
    std::vector<Tenant>& tenants = tenancy.tenants[node.raw];
    std::ranges::sort(tenants, {}, [](const Tenant& tenant) {
      const Job& job = *tenant.job;
      return std::tuple(-(job.demand.memory * tenant.tasks).raw, -job.submitted.raw, job.id);
    });
    for (const Tenant& tenant : tenants) {
      if (!tenancy.over_full(view.nodes[node.raw])) break;
      if (evicted.insert(tenant.job->id).second) tenancy.leave(*tenant.job);
    }
  }
  return {evicted.begin(), evicted.end()};
}

ClusterView with_paused(ClusterView view, const std::vector<JobId>& jobs) {
  for (const JobId id : jobs) {
    Job& job = view.jobs.at(id);
    job.phase = Phase::paused;
    job.placement.clear();
    job.yield = {};
    job.progress.set_rate(view.now, {});
    job.phase_since = view.now;
  }
  return view;
}

}  // namespace aliquot
