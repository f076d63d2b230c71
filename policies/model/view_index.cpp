#include "policies/model/view_index.hpp"

#include <algorithm>
#include <utility>

#include "policies/model/view.hpp"

namespace aliquot {
namespace {

// A job whose tasks have all ended is not placed any more.
bool wants(const Job& job) {
  return job.placement.empty() && job.demand.tasks > 0 && !job.held && !is_constrained(job.demand);
}

Duration span_of(const Job& job) {
  return job.demand.estimate ? std::max(*job.demand.estimate, Duration{1}) : Duration{INT64_MAX};
}

}  // namespace

void ViewIndex::rebuild(const ClusterView& view) {
  drop();
  kept_ = true;
  loads_.resize(view.nodes.size());
  idle_.resize((view.nodes.size() + 63) / 64);
  devices_ = FreeDevices(view.nodes);
  const Node* usable = nullptr;
  uniform_ = true;
  for (const Node& node : view.nodes) {
    if (!node.usable()) continue;
    ++usable_count_;
    if (usable && (usable->capacity != node.capacity || usable->memory != node.memory)) uniform_ = false;
    usable = &node;
    count_idle(node.id, 1);
  }
  // In the order of their positions: in any other each insertion would move all the rest.
  std::vector<const Job*> jobs;
  jobs.reserve(view.jobs.size());
  for (const auto& [id, job] : view.jobs) jobs.push_back(&job);
  std::ranges::sort(jobs, {}, [](const Job* job) { return std::pair(job->submitted, job->id); });
  for (const Job* job : jobs) arrive(view, *job);
}

void ViewIndex::count_idle(NodeId node, int sign) {
  idle_[node.raw / 64] ^= std::uint64_t{1} << (node.raw % 64);
  idle_count_ += static_cast<std::uint32_t>(sign);
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
    if (idle != (load.tasks == 0) && node.usable()) count_idle(share.node, idle ? -1 : 1);
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
  wanted_ = wants(job);
  charge(view, job, -1);
  if (job.phase == Phase::paused) --paused_;
  if (job.placement.empty()) return;
  const auto at = std::lower_bound(placed_.begin(), placed_.end(), job.id);
  placed_.erase(at);
}

void ViewIndex::add(const ClusterView& view, const Job& job) {
  if (!kept_) return;
  if (wanted_ || wants(job)) order_.mark(job, wants(job), span_of(job));
  if (job.phase == Phase::paused) ++paused_;
  charge(view, job, 1);
  if (job.placement.empty()) return;
  placed_.insert(std::upper_bound(placed_.begin(), placed_.end(), job.id), job.id);
}

void ViewIndex::arrive(const ClusterView& view, const Job& job) {
  if (!kept_) return;
  order_.add(job, false, {});
  wanted_ = false;
  add(view, job);
}

void ViewIndex::depart(const ClusterView& view, const Job& job) {
  if (!kept_) return;
  remove(view, job);
  order_.remove(job);
}

bool ViewIndex::agrees_with(const ClusterView& view) const {
  ViewIndex fresh;
  fresh.rebuild(view);
  const auto same_load = [](const NodeLoad& a, const NodeLoad& b) {
    return a.memory == b.memory && a.need == b.need && a.guaranteed == b.guaranteed && a.given == b.given &&
           a.tasks == b.tasks;
  };
  const auto marked = [](const SubmissionOrder& order) {
    std::vector<std::pair<JobId, Duration>> jobs;
    for (std::uint32_t at = order.first(); at != SubmissionOrder::kNone;
         at = order.next(at + 1, {SubmissionOrder::kNone - 1, 0, {}}))
      jobs.emplace_back(order.at(at), order.span(at));
    return jobs;
  };
  return kept_ && std::ranges::equal(loads_, fresh.loads_, same_load) && idle_ == fresh.idle_ &&
         idle_count_ == fresh.idle_count_ && crowded_ == fresh.crowded_ && shared_ == fresh.shared_ &&
         slowed_ == fresh.slowed_ && held_ == fresh.held_ && paused_ == fresh.paused_ &&
         uniform_ == fresh.uniform_ && usable_count_ == fresh.usable_count_ && placed_ == fresh.placed_ &&
         devices_ == fresh.devices_ && order_.size() == fresh.order_.size() &&
         marked(order_) == marked(fresh.order_);
}

}  // namespace aliquot
