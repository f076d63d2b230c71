#include "policies/kinds/division.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "policies/draft.hpp"
#include "policies/feasibility.hpp"

namespace aliquot {
namespace {

Cpu whole_need(const Demand& demand) { return demand.need * std::int64_t{demand.tasks}; }

bool contains(const std::vector<JobId>& sorted, JobId job) {
  return std::ranges::binary_search(sorted, job);
}

}  // namespace

Division::Division(const ClusterView& view) : view_(view), remembered_(view.memory.state_as<KindsState>()) {
  take_nodes();
  take_jobs();
}

bool Division::has_nodes(HypervisorKind kind) const {
  return std::ranges::find(kinds_, kind) != kinds_.end();
}

void Division::take_nodes() {
  for (const HypervisorKind kind : kHypervisorKinds) {
    const auto of_kind = [kind](const Node& node) { return node.hypervisor == kind; };
    if (std::ranges::none_of(view_.nodes, of_kind)) continue;
    kinds_.push_back(kind);
    for (const Node& node : view_.nodes) {
      nodes_[kind].push_back(of_kind(node) ? node : emptied(node, kind));
      if (of_kind(node) && node.usable()) capacity_[kind] += node.capacity;
    }
  }
}

// The jobs whose kind is known are counted before the others choose.
void Division::take_jobs() {
  std::vector<const Job*> fresh;
  for (const auto& [id, job] : view_.jobs) {
    if (const auto bound = bound_kind(view_, job)) {
      add_to(job, *bound);
      continue;
    }
    free_.push_back(id);
    const auto offered = remembered_offer(id);
    if (offered && std::ranges::count(candidates(job.demand), *offered) > 0) {
      add_to(job, *offered);
      continue;
    }
    fresh.push_back(&job);
    if (offered) moved_.push_back(id);
  }
  const auto place = [this](JobId id) { return std::pair(view_.jobs.at(id).submitted, id); };
  std::ranges::sort(free_, {}, place);
  std::ranges::sort(fresh, {}, [&](const Job* job) { return place(job->id); });
  for (const Job* job : fresh) {
    const std::vector<HypervisorKind> kinds = candidates(job->demand);
    add_to(*job, kinds.empty() ? HypervisorKind{} : least_loaded(kinds, whole_need(job->demand)));
  }
}

std::optional<HypervisorKind> Division::remembered_offer(JobId job) const {
  if (!remembered_) return std::nullopt;
  const auto offer = remembered_->offers().find(job);
  return offer == remembered_->offers().end() ? std::nullopt : std::optional(offer->second);
}

void Division::add_to(const Job& job, HypervisorKind kind) {
  homes_.emplace(job.id, kind);
  if (!job.held || !job.placement.empty()) load_[kind] += whole_need(job.demand);
}

bool Division::holds(HypervisorKind kind, const Demand& demand, bool usable_only) const {
  if (demand.hypervisor.value_or(kind) != kind) return false;
  if (is_constrained(demand))
    return !contradiction(demand) && !impossible(nodes_[kind], view_.device_models, demand, usable_only);
  const SlotsBeside slots(demand);
  std::int64_t missing = demand.tasks;
  for (const Node& node : view_.nodes) {
    if (node.hypervisor != kind || (usable_only && !node.usable())) continue;
    missing -= slots.within(node.memory, node.capacity);
    if (missing <= 0) return true;
  }
  return false;
}

bool Division::could_hold(HypervisorKind kind, const Demand& demand) const {
  return holds(kind, demand, true);
}

std::vector<HypervisorKind> Division::candidates(const Demand& demand) const {
  for (const bool usable_only : {true, false}) {
    std::vector<HypervisorKind> able;
    std::ranges::copy_if(kinds_, std::back_inserter(able),
                         [&](HypervisorKind kind) { return holds(kind, demand, usable_only); });
    if (!able.empty()) return able;
  }
  return kinds_;
}

HypervisorKind Division::least_loaded(const std::vector<HypervisorKind>& kinds, Cpu need) const {
  const auto fuller = [&](HypervisorKind a, HypervisorKind b) {  // a without capacity is fuller than any
    return Int128{(load_[a] + need).raw} * capacity_[b].raw >
           Int128{(load_[b] + need).raw} * capacity_[a].raw;
  };
  HypervisorKind best = kinds.front();
  for (const HypervisorKind kind : kinds)
    if (fuller(best, kind)) best = kind;
  return best;
}

void Division::offer(JobId job, HypervisorKind kind) {
  homes_[job] = kind;
  if (!contains(moved_, job)) moved_.insert(std::ranges::upper_bound(moved_, job), job);
}

ClusterView Division::view_of(HypervisorKind kind) const {
  ClusterView part;
  part.now = view_.now;
  part.cause = view_.cause;
  part.next_tick = view_.next_tick;
  part.costs = view_.costs;
  part.device_models = view_.device_models;
  part.closings = view_.closings;
  part.nodes = nodes_[kind];
  part.cause.arrived.clear();
  for (const auto& [id, job] : view_.jobs) {
    if (kind_of(id) != kind) continue;
    Job& copy = part.jobs.emplace(id, job).first->second;
    copy.bound.reset();
    const bool is_new = contains(moved_, id);
    if (is_new || contains(view_.cause.arrived, id)) part.cause.arrived.push_back(id);
    // What holds its VMs although it is of another kind now is not empty.
    for (const Share& share : job.placement)
      if (const Node& node = view_.nodes[share.node.raw]; node.hypervisor != kind) {
        part.nodes[share.node.raw].capacity = node.capacity;
        part.nodes[share.node.raw].memory = node.memory;
      }
    if (is_new) continue;
    const auto retry = view_.memory.retries.find(id);
    if (retry != view_.memory.retries.end()) part.memory.retries[id] = retry->second;
    const auto booked = view_.memory.reservations.find(id);
    if (booked != view_.memory.reservations.end()) part.memory.reservations.insert(*booked);
  }
  // What was remembered before there were several kinds belongs to the kind that was there first.
  if (remembered_)
    part.memory.state = remembered_->part(kind);
  else if (!view_.nodes.empty() && view_.nodes.front().hypervisor == kind)
    part.memory.state = view_.memory.state;
  return part;
}

}  // namespace aliquot
