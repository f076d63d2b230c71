#include "policies/model/view_index.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policies/model/hypervisor_kind.hpp"
#include "policies/model/view.hpp"

namespace aliquot {
namespace {

// A job whose tasks have all ended is not placed any more.
bool wants(const Job& job) {
  return job.placement.empty() && job.demand.tasks > 0 && !job.held && !is_constrained(job.demand);
}

// In the queue.
using Place = std::tuple<std::int64_t, Instant, JobId>;
Place place_of(const Job& job) { return {-job.demand.weight.raw, job.submitted, job.id}; }
Place place_in_queue(const WaitingJob& job) { return {-job.weight.raw, job.submitted, job.id}; }

WaitingJob waiting_job(const Job& job) {
  const Duration longest{INT64_MAX};
  const Duration span = job.demand.estimate ? std::max(*job.demand.estimate, Duration{1}) : longest;
  return {job.submitted, job.id, job.demand.tasks, span, job.demand.weight};
}

}  // namespace

void ViewIndex::rebuild(const ClusterView& view) {
  drop();
  kept_ = true;
  loads_.resize(view.nodes.size());
  devices_ = FreeDevices(view.nodes);
  one_kind_ = have_one_kind(view.nodes);
  any_keeps_saves_ = std::ranges::any_of(view.nodes, &Node::keeps_saves);
  follow_states(view);
  for (const auto& [id, job] : view.jobs) add(view, job);
}

void ViewIndex::follow_states(const ClusterView& view) {
  if (!kept_) return;
  all_answer_ = std::ranges::all_of(view.nodes, &Node::answers);
  uniform_ = true;
  usable_count_ = idle_count_ = 0;
  const Node* usable = nullptr;
  for (const Node& node : view.nodes) {
    if (!node.usable()) continue;
    ++usable_count_;
    if (loads_[node.id.raw].tasks == 0) ++idle_count_;
    if (usable && (usable->capacity != node.capacity || usable->memory != node.memory)) uniform_ = false;
    usable = &node;
  }
}

void ViewIndex::charge(const ClusterView& view, const Job& job, int sign) {
  const Demand& demand = job.demand;
  const Cpu guaranteed = guaranteed_cpu(demand);
  const Cpu given = demand.need * job.yield;
  for (const Share& share : job.placement) {
    const Node& node = view.nodes[share.node.raw];
    NodeLoad& load = loads_[share.node.raw];
    const std::int64_t units = sign * std::int64_t{share.units};
    const bool crowded = load.need > node.capacity;
    const bool shared = load.tasks > 1;
    const bool idle = load.tasks == 0;
    load.memory += demand.memory * units;
    load.need += demand.need * units;
    load.guaranteed += guaranteed * units;
    load.given += given * units;
    load.tasks += units;
    crowded_ += static_cast<std::uint32_t>(load.need > node.capacity) - static_cast<std::uint32_t>(crowded);
    shared_ += static_cast<std::uint32_t>(load.tasks > 1) - static_cast<std::uint32_t>(shared);
    if (idle != (load.tasks == 0) && node.usable()) idle_count_ += idle ? -1U : 1U;
  }
  if (job.placement.empty()) return;
  if (job.yield != kFullYield) slowed_ += static_cast<std::uint32_t>(sign);
  if (job.held) held_ += static_cast<std::uint32_t>(sign);
  if (!job.devices.empty()) sign > 0 ? devices_.take(job) : devices_.give(job);
}

void ViewIndex::regive(const Job& job, Yield next) {
  if (!kept_) return;
  const Cpu more = job.demand.need * next - job.demand.need * job.yield;
  for (const Share& share : job.placement) loads_[share.node.raw].given += more * share.units;
  slowed_ +=
      static_cast<std::uint32_t>(next != kFullYield) - static_cast<std::uint32_t>(job.yield != kFullYield);
}

void ViewIndex::remove(const ClusterView& view, const Job& job) {
  if (!kept_) return;
  charge(view, job, -1);
  rebind(job.bound.has_value(), false);
  retie(!job.tied_to.empty(), false);
  if (job.phase == Phase::paused) --paused_;
  if (wants(job)) {
    waiting_.erase(std::ranges::lower_bound(waiting_, place_of(job), {}, place_in_queue));
    alike_.remove(job);
  }
  if (!job.placement.empty()) placed_.erase(std::ranges::lower_bound(placed_, job.id));
}

void ViewIndex::add(const ClusterView& view, const Job& job) {
  if (!kept_) return;
  charge(view, job, 1);
  rebind(false, job.bound.has_value());
  retie(false, !job.tied_to.empty());
  if (job.phase == Phase::paused) ++paused_;
  if (wants(job)) {
    waiting_.insert(std::ranges::upper_bound(waiting_, place_of(job), {}, place_in_queue),
                    waiting_job(job));
    alike_.add(job);
  }
  if (!job.placement.empty()) placed_.insert(std::ranges::upper_bound(placed_, job.id), job.id);
}

}  // namespace aliquot
