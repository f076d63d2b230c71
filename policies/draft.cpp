#include "policies/draft.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

namespace {

constexpr std::size_t kLeastChunk = 256;
constexpr std::uint32_t kAhead = 8;  // so many entries ahead memory is asked for what will be read

bool stays(const ClusterView& view, const Job& job, bool all_usable) {
  if (job.pinned || !job.demand.movable) return true;
  return !all_usable && std::any_of(job.placement.begin(), job.placement.end(), [&](const Share& share) {
    return !view.nodes[share.node.raw].usable();
  });
}

}  // namespace

bool fits_when_empty(const ClusterView& view, const Demand& demand, bool usable_only) {
  const SlotsBeside slots(demand);
  std::int64_t missing = demand.tasks;
  for (const Node& node : view.nodes) {
    if (usable_only && !node.usable()) continue;
    missing -= slots(node.capacity, NodeLedger{node.memory, {}, {}, 0});
    if (missing <= 0) return true;
  }
  return missing <= 0;
}

Draft::Draft(Unread, const ClusterView& view, Start start, std::pmr::memory_resource* memory,
             Constrained constrained)
    : view_(view),
      constrained_(constrained),
      loaded_(start == Start::as_in_force && view.index.kept()),
      capacity_(view, loaded_, memory),
      entries_(memory),
      stood_(memory),
      chunks_(memory) {
  entries_.reserve(view.jobs.size());
  stood_.reserve(view.index.kept() ? view.index.placed().size() : view.jobs.size());
}

bool Draft::read_placed(const Job& job, Start start, bool beyond) {
  const bool fixed = stays(view_, job, capacity_.all_usable()) || (beyond && !job.held);
  const bool off = !fixed && (start == Start::only_fixed || job.held);
  const auto count = static_cast<std::uint32_t>(job.placement.size());
  entries_.push_back({&job, job.id, job.placement.data(), off ? 0 : count, fixed, true, !off});
  fixed_ += fixed ? 1 : 0;
  placed_ += off ? 0 : 1;
  if (off == loaded_) charge(job.demand, job.placement, off ? -1 : 1);
  return fixed;
}

Draft::~Draft() {
  for (const std::span<Share> chunk : chunks_) {
    std::pmr::polymorphic_allocator<Share>(memory()).deallocate(chunk.data(), chunk.size());
  }
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

std::span<Share> Draft::store(std::size_t count) {
  if (unused_.size() < count) {
    const std::size_t size = std::max(count, kLeastChunk);
    unused_ = {std::pmr::polymorphic_allocator<Share>(memory()).allocate(size), size};
    chunks_.push_back(unused_);
  }
  const std::span<Share> found = unused_.first(count);
  unused_ = unused_.subspan(count);
  return found;
}

void Draft::adopt(std::size_t i, Shares stored) {
  entries_[i].shares = stored.data();
  entries_[i].count = static_cast<std::uint32_t>(stored.size());
  ++placed_;
}

std::pmr::vector<std::uint32_t> Draft::placed_entries() const {
  std::pmr::vector<std::uint32_t> found(placed_ + 1,
                                        memory());  // one place more, for the last that is not placed
  std::uint32_t* next = found.data();
  const auto size = static_cast<std::uint32_t>(entries_.size());
  for (std::uint32_t i = 0; i < size; ++i) {
    *next = i;
    next += entries_[i].count > 0 ? 1 : 0;
  }
  found.pop_back();
  return found;
}

std::int64_t Draft::slots(std::size_t n, const Demand& demand) const {
  return node(n).usable() ? slots_beside(node(n), ledger(n), demand) : 0;
}

bool Draft::fits(const Demand& demand) const {
  std::int64_t missing = demand.tasks;
  for (std::size_t n = 0; n < nodes() && missing > 0; ++n) missing -= slots(n, demand);
  return missing <= 0;
}

Plan Draft::plan(const Yields& yields) const {
  std::pmr::vector<std::uint32_t> touched(entries_.size() + 1, memory());  // stand or stood
  std::size_t count = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    touched[count] = static_cast<std::uint32_t>(i);
    count += entries_[i].stood | (entries_[i].count > 0) ? 1 : 0;
  }
  std::size_t changed = 0;  // mostly few of them: the first of these
  for (std::size_t k = 0; k < count; ++k) {
    if (k + kAhead < count) {
      const Job* const soon = entries_[touched[k + kAhead]].job;
      __builtin_prefetch(&soon->yield);
      __builtin_prefetch(&soon->devices);
    }
    const Entry& entry = entries_[touched[k]];
    const Shares next(entry.shares, entry.count);
    const bool stands = entry.untouched || next == Shares(entry.job->placement);
    if (next.empty() || !stands || yields[touched[k]] != entry.job->yield) touched[changed++] = touched[k];
  }
  Plan plan;
  plan.changes.reserve(changed);
  for (const std::uint32_t i : std::span(touched).first(changed)) {
    const Entry& entry = entries_[i];
    const Shares next(entry.shares, entry.count);
    if (next.empty())
      plan.changes.push_back({entry.id, {}, {}});
    else  // whoever places it anew gives it devices of its own
      plan.changes.push_back({entry.id, next, yields[i], entry.job->devices});
  }
  return plan;
}

}  // namespace aliquot
