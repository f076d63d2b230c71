#include "policies/draft.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

namespace {

constexpr std::size_t kLeastChunk = 256;

bool stays(const ClusterView& view, const Job& job, bool all_usable) {
  if (job.placement.empty()) return false;
  if (job.pinned || !job.demand.movable) return true;
  return !all_usable && std::any_of(job.placement.begin(), job.placement.end(), [&](const Share& share) {
    return !view.nodes[share.node.raw].usable();
  });
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

Draft::Draft(const ClusterView& view, Start start) : view_(view) {
  read_nodes();
  entries_.reserve(view.jobs.size());
  for (const auto& [id, job] : view.jobs) {
    const bool fixed = stays(view, job, all_usable_);
    const bool off = !fixed && (start == Start::only_fixed || job.held);
    entries_.push_back({&job, off ? Shares() : Shares(job.placement), fixed});
    if (!off && !job.placement.empty()) charge(job.demand, job.placement, 1);
  }
}

void Draft::read_nodes() {
  rooms_.reserve(view_.nodes.size());
  for (const Node& node : view_.nodes) {
    rooms_.push_back({node.memory, {}, {}, 0});
    all_usable_ = all_usable_ && node.usable();
    if (!runs_.empty() && runs_.back().capacity == node.capacity && runs_.back().memory == node.memory &&
        runs_.back().usable == node.usable()) {
      ++runs_.back().count;
    } else {
      runs_.push_back({node.capacity, node.memory, node.usable(), node.id.raw, 1});
    }
  }
}

std::size_t Draft::index_of(JobId job) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), job,
                                   [](const Entry& entry, JobId id) { return entry.job->id < id; });
  return static_cast<std::size_t>(at - entries_.begin());
}

void Draft::charge(const Demand& demand, Shares shares, std::int64_t sign) {
  const Cpu guaranteed = guaranteed_cpu(demand);
  for (const Share& share : shares) {
    const std::int64_t units = sign * share.units;
    Room& room = rooms_[share.node.raw];
    room.free -= demand.memory * units;
    room.load += demand.need * units;
    room.guaranteed += guaranteed * units;
    room.tasks += units;
  }
}

void Draft::place(std::size_t i, Shares shares) {
  const std::span<Share> own = store(shares.size());
  std::copy(shares.begin(), shares.end(), own.begin());
  adopt(i, Shares(own));
}

void Draft::remove(std::size_t i) {
  charge(entries_[i].job->demand, entries_[i].shares, -1);
  entries_[i].shares = {};
}

std::span<Share> Draft::store(std::size_t count) {
  if (unused_.size() < count) {
    const std::size_t size = std::max(count, kLeastChunk);
    chunks_.push_back(std::make_unique_for_overwrite<Share[]>(size));
    unused_ = {chunks_.back().get(), size};
  }
  const std::span<Share> found = unused_.first(count);
  unused_ = unused_.subspan(count);
  return found;
}

void Draft::adopt(std::size_t i, Shares stored) {
  entries_[i].shares = stored;
  charge(entries_[i].job->demand, stored, 1);
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
  const auto changes = [&](std::size_t i) {
    const Job& job = *entries_[i].job;
    const Shares next = entries_[i].shares;
    if (next.empty()) return !job.placement.empty();
    return yields[i] != job.yield || next != Shares(job.placement);
  };
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (changes(i)) changed.push_back(i);
  }
  plan.changes.reserve(changed.size());
  for (const std::size_t i : changed) {
    const Shares next = entries_[i].shares;
    plan.changes.push_back({entries_[i].job->id, next, next.empty() ? Yield{} : yields[i]});
  }
  return plan;
}

}  // namespace aliquot
