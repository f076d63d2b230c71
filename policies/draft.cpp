#include "policies/draft.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

namespace {

constexpr std::size_t kLeastChunk = 256;

bool stays(const ClusterView& view, const Job& job, bool all_usable) {
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

Draft::Draft(const ClusterView& view, Start start, std::pmr::memory_resource* memory,
             Constrained constrained)
    : view_(view),
      constrained_(constrained),
      entries_(memory),
      runs_(memory),
      rooms_(memory),
      chunks_(memory) {
  read_nodes();
  const bool loaded = start == Start::as_in_force && view.index.kept();
  if (loaded) {
    read_loads();
  } else {
    for (const NodeRun& run : runs_) rooms_.insert(rooms_.end(), run.count, {run.memory, {}, {}, 0});
  }
  entries_.reserve(view.jobs.size());
  for (const auto& [id, job] : view.jobs) {
    const auto count = static_cast<std::uint32_t>(job.placement.size());
    const bool beyond = constrained == Constrained::left_alone && is_constrained(job.demand);
    if (count == 0) {
      entries_.push_back({&job, nullptr, 0, beyond});
      continue;
    }
    const bool fixed = stays(view, job, all_usable_) || (beyond && !job.held);
    const bool off = !fixed && (start == Start::only_fixed || job.held);
    entries_.push_back({&job, job.placement.data(), off ? 0 : count, fixed});
    fixed_ += fixed ? 1 : 0;
    placed_ += off ? 0 : 1;
    if (off == loaded) charge(job.demand, job.placement, off ? -1 : 1);
  }
}

void Draft::read_nodes() {
  rooms_.reserve(view_.nodes.size());
  const ViewIndex& index = view_.index;
  if (index.kept() && index.uniform() && !view_.nodes.empty() &&
      index.usable_count() == view_.nodes.size()) {
    const Node& any = view_.nodes.front();
    runs_.push_back({any.capacity, any.memory, true, 0, static_cast<std::uint32_t>(view_.nodes.size())});
    return;
  }
  for (const Node& node : view_.nodes) {
    const bool usable = node.usable();
    if (!runs_.empty() && runs_.back().capacity == node.capacity && runs_.back().memory == node.memory &&
        runs_.back().usable == usable) {
      ++runs_.back().count;
    } else {
      runs_.push_back({node.capacity, node.memory, usable, node.id.raw, 1});
      all_usable_ = all_usable_ && usable;
    }
  }
}

// What stands on the nodes in force, as the core has added it up.
void Draft::read_loads() {
  for (const NodeRun& run : runs_) {
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
      const NodeLoad& load = view_.index.load({n});
      rooms_.push_back({run.memory - load.memory, load.need, load.guaranteed, load.tasks});
    }
  }
}

std::size_t Draft::index_of(JobId job) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), job,
                                   [](const Entry& entry, JobId id) { return entry.job->id < id; });
  return static_cast<std::size_t>(at - entries_.begin());
}

void Draft::charge(const Demand& demand, Shares shares, std::int64_t sign) {
  const Charge each = charge_of_task(demand);
  for (const Share& share : shares) rooms_[share.node.raw].take(each, sign * share.units);
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
  --placed_;
}

std::span<Share> Draft::store(std::size_t count) {
  if (unused_.size() < count) {
    const std::size_t size = std::max(count, kLeastChunk);
    unused_ = chunks_.emplace_back(size);
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
  return node(n).usable() ? slots_beside(node(n), rooms_[n], demand) : 0;
}

bool Draft::fits(const Demand& demand) const {
  std::int64_t missing = demand.tasks;
  for (std::size_t n = 0; n < rooms_.size() && missing > 0; ++n) missing -= slots(n, demand);
  return missing <= 0;
}

Plan Draft::plan(const Yields& yields) const {
  Plan plan;
  std::pmr::vector<std::uint32_t> changed(memory());
  changed.reserve(entries_.size());
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    const Job& before = *entries_[i].job;
    const Shares next = placement(i);
    if (next.empty() ? !before.placement.empty()
                     : yields[i] != before.yield || next != Shares(before.placement)) {
      changed.push_back(i);
    }
  }
  plan.changes.resize(changed.size());
  for (std::size_t k = 0; k < changed.size(); ++k) {
    const Shares next = placement(changed[k]);
    Change& change = plan.changes[k];
    change.job = entries_[changed[k]].job->id;
    change.placement.assign(next.begin(), next.end());
    if (next.empty()) continue;
    change.yield = yields[changed[k]];
    const std::vector<DeviceSet>& held = entries_[changed[k]].job->devices;
    if (!held.empty()) change.devices = held;  // whoever places it anew gives it its own
  }
  return plan;
}

}  // namespace aliquot
