#include "policies/draft.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

namespace {

bool untouchable(const ClusterView& view, const Job& job) {
  if (job.placement.empty()) return false;
  if (job.pinned || !job.demand.movable) return true;
  return std::any_of(job.placement.begin(), job.placement.end(),
                     [&](const Share& share) { return !view.nodes[share.node.raw].usable(); });
}

}  // namespace

std::int64_t slots_beside(const Node& node, const Room& room, const Demand& demand) {
  const Cpu each = guaranteed_cpu(demand);
  const Cpu spare = node.capacity - room.guaranteed;
  if (room.free < demand.memory || spare < each) return 0;
  std::int64_t count = demand.tasks;
  if (demand.memory.raw > 0) count = std::min(count, room.free.raw / demand.memory.raw);
  if (each.raw > 0) count = std::min(count, spare.raw / each.raw);
  return count;
}

bool fits_when_empty(const ClusterView& view, const Demand& demand, bool usable_only) {
  std::int64_t missing = demand.tasks;
  for (const Node& node : view.nodes) {
    if (usable_only && !node.usable()) continue;
    missing -= slots_beside(node, Room{node.memory, {}, {}, 0}, demand);
    if (missing <= 0) return true;
  }
  return missing <= 0;
}

Draft::Draft(const ClusterView& view) : view_(view) {
  rooms_.reserve(view.nodes.size());
  for (const Node& node : view.nodes) rooms_.push_back({node.memory, {}, {}, 0});
  entries_.reserve(view.jobs.size());
  for (const auto& [id, job] : view.jobs) {
    entries_.push_back({&job, untouchable(view, job), false, {}});
    charge(job.demand, job.placement, 1);
    if (job.held && !job.placement.empty() && !entries_.back().fixed) remove(entries_.size() - 1);
  }
}

std::size_t Draft::index_of(JobId job) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), job,
                                   [](const Entry& entry, JobId id) { return entry.job->id < id; });
  return static_cast<std::size_t>(at - entries_.begin());
}

void Draft::charge(const Demand& demand, const Placement& placement, std::int64_t sign) {
  const Cpu guaranteed = guaranteed_cpu(demand);
  for (const Share& share : placement) {
    const std::int64_t units = sign * share.units;
    Room& room = rooms_[share.node.raw];
    room.free -= demand.memory * units;
    room.load += demand.need * units;
    room.guaranteed += guaranteed * units;
    room.tasks += units;
  }
}

void Draft::place(std::size_t i, Placement placement) {
  Entry& entry = entries_[i];
  charge(entry.job->demand, placement, 1);
  entry.next = std::move(placement);
  entry.changed = true;
}

void Draft::remove(std::size_t i) {
  Entry& entry = entries_[i];
  charge(entry.job->demand, placement(i), -1);
  entry.next.clear();
  entry.changed = true;
}

std::int64_t Draft::slots(std::size_t n, const Demand& demand) const {
  return node(n).usable() ? slots_beside(node(n), rooms_[n], demand) : 0;
}

bool Draft::fits(const Demand& demand) const {
  std::int64_t missing = demand.tasks;
  for (std::size_t n = 0; n < rooms_.size() && missing > 0; ++n) missing -= slots(n, demand);
  return missing <= 0;
}

Plan Draft::plan(const std::vector<Yield>& yields) const {
  Plan plan;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Job& job = *entries_[i].job;
    const Placement& next = placement(i);
    if (next.empty()) {
      if (!job.placement.empty()) plan.changes.push_back({job.id, {}, {}});
    } else if (next != job.placement || yields[i] != job.yield) {
      plan.changes.push_back({job.id, next, yields[i]});
    }
  }
  return plan;
}

}  // namespace aliquot
