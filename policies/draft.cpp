#include "policies/draft.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

namespace {

bool must_stay(const ClusterView& view, const Job& job, bool all_usable) {
  if (job.pinned || !job.demand.movable) return true;
  return !all_usable && std::any_of(job.placement.begin(), job.placement.end(), [&](const Share& share) {
    return !view.nodes[share.node.raw].usable();
  });
}

}  // namespace

Draft::Draft(const ClusterView& view, Start start, std::pmr::memory_resource* memory,
             Constrained constrained)
    : view_(view),
      constrained_(constrained),
      loaded_(start == Start::as_in_force && view.index.kept()),
      capacity_(view, loaded_, memory),
      entries_(memory),
      shares_(memory) {
  entries_.reserve(view.jobs.size());
  for (const auto& [id, job] : view.jobs) read(job, start);
}

Draft::Draft(const ClusterView& view, std::span<const JobId> jobs)
    : view_(view),
      constrained_(Constrained::left_alone),
      loaded_(true),
      capacity_(view, loaded_, std::pmr::get_default_resource()) {
  entries_.reserve(jobs.size());
  for (const JobId id : jobs) read(view.jobs.at(id), Start::as_in_force);
}

void Draft::read(const Job& job, Start start) {
  const bool stood = !job.placement.empty();
  const bool beyond = constrained_ == Constrained::left_alone && is_constrained(job.demand);
  if (!stood) {
    entries_.push_back({&job, job.id, nullptr, 0, beyond, stood});
    return;
  }
  const bool fixed = must_stay(view_, job, capacity_.all_usable()) || (beyond && !job.held);
  const bool placed = fixed || (start == Start::as_in_force && !job.held);
  const auto count = static_cast<std::uint32_t>(placed ? job.placement.size() : 0);
  entries_.push_back({&job, job.id, job.placement.data(), count, fixed, stood, placed});
  fixed_ += fixed ? 1 : 0;
  placed_ += placed ? 1 : 0;
  if (placed != loaded_) charge(job.demand, job.placement, placed ? 1 : -1);
}

std::size_t Draft::index_of(JobId job) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), job,
                                   [](const Entry& entry, JobId id) { return entry.id < id; });
  return static_cast<std::size_t>(at - entries_.begin());
}

void Draft::charge(const Demand& demand, Shares shares, std::int64_t sign) {
  capacity_.take(charge_of_task(demand), shares, sign);
}

void Draft::place(std::size_t i, Shares shares) {
  const std::span<Share> own = store(shares.size());
  std::copy(shares.begin(), shares.end(), own.begin());
  adopt(i, own);
  charge(i);
}

void Draft::remove(std::size_t i) {
  charge(job(i).demand, placement(i), -1);
  entries_[i].count = 0;
  entries_[i].untouched = false;
  --placed_;
}

void Draft::fix(std::size_t i) {
  fixed_ += entries_[i].fixed ? 0 : 1;
  entries_[i].fixed = true;
}

std::span<Share> Draft::store(std::size_t count) {
  return {std::pmr::polymorphic_allocator<Share>(&shares_).allocate(count), count};
}

void Draft::adopt(std::size_t i, Shares stored) {
  entries_[i].shares = stored.data();
  entries_[i].count = static_cast<std::uint32_t>(stored.size());
  ++placed_;
}

std::pmr::vector<std::uint32_t> Draft::placed_entries() const {
  std::pmr::vector<std::uint32_t> found(memory());
  found.reserve(placed_);
  for (std::uint32_t i = 0; i < entries_.size(); ++i)
    if (placed(i)) found.push_back(i);
  return found;
}

std::int64_t Draft::slots(std::size_t n, const Demand& demand) const {
  return node(n).usable() ? slots_beside(node(n), ledger(n), demand) : 0;
}

bool Draft::fits(const Demand& demand) const {
  const SlotsBeside slots(demand);
  std::int64_t missing = demand.tasks;
  const auto enough = [&](const NodeRun& run, std::uint32_t, const NodeLedger& room) {
    missing -= slots(run.capacity, room);
    return missing <= 0;
  };
  return missing == 0 || capacity_.any_with_free(demand.memory, enough);
}

bool Draft::fits_when_empty(const Demand& demand, bool usable_only) const {
  const SlotsBeside slots(demand);
  std::int64_t missing = demand.tasks;
  for (const NodeRun& run : node_runs())
    if (run.usable || !usable_only) missing -= slots.within(run.memory, run.capacity) * run.count;
  return missing <= 0;
}

Plan Draft::plan(const Yields& yields) const {
  Plan plan;
  plan.changes.reserve(static_cast<std::size_t>(std::ranges::count_if(
      entries_, [](const Entry& entry) { return entry.count > 0 ? !entry.untouched : entry.stood; })));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    const Shares next = placement(i);
    if (!entry.stood && next.empty()) continue;
    if (next.empty()) {
      plan.changes.push_back({entry.id, {}, {}});
    } else if (yields[i] != entry.job->yield || !stays(i)) {
      // A policy that places a job anew assigns its devices itself.
      plan.changes.push_back({entry.id, next, yields[i], entry.job->devices});
    }
  }
  return plan;
}

}  // namespace aliquot
