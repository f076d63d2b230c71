// The cluster as a plan would leave it, while the plan is being worked out.
//
// A draft starts from what is in force and is changed job by job; it knows the room left on every node
// and turns into a Plan (the delta) at the end. It knows no algorithm. Entries are numbered in increasing
// job id, so every loop over them has one order. It refers to the view, which must outlive it; new places
// stand in one store of the draft's own, not in a vector a job.
//
// What may not be touched is marked `fixed`: a running job that is pinned, cannot be moved, or has a share
// on a node that takes nothing new; and, for a policy that does not know devices and spreads, every job
// that asks for some: if it runs it stays, if it waits it waits for another policy. A running job that was
// put on hold and is not fixed is taken off at once: whoever decides, decides without it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "policies/capacity_index.hpp"
#include "policies/model/plan.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

// The places of one job as they stand in a draft or in its view, not owned. Reads like a Placement.
class Shares : public std::span<const Share> {
 public:
  using std::span<const Share>::span;
  // Converts as string_view does, both ways: a place is a place, whoever owns it.
  Shares(const Placement& placement)  // NOLINT(google-explicit-constructor)
      : std::span<const Share>(placement) {}
  operator Placement() const { return {begin(), end()}; }  // NOLINT(google-explicit-constructor)
  friend bool operator==(Shares a, Shares b) {
    return a.size() == b.size() && (a.data() == b.data() || std::equal(a.begin(), a.end(), b.begin()));
  }
};

// By entry of a draft.
using Yields = std::pmr::vector<Yield>;

class Draft {
 public:
  // only_fixed: whatever may be moved or paused is off already, as before packing all anew.
  enum class Start : std::uint8_t { as_in_force, only_fixed };

  // Jobs that ask for devices or a spread (is_constrained). A policy that places them takes care of their
  // slots itself: a draft counts CPU and memory.
  enum class Constrained : std::uint8_t { left_alone, placed };

  // `memory` is for everything that is worked out here; what is returned by value lives in it too, but the
  // plan.
  explicit Draft(const ClusterView& view, Start start = Start::as_in_force,
                 std::pmr::memory_resource* memory = std::pmr::get_default_resource(),
                 Constrained constrained = Constrained::left_alone)
      : Draft(view, start, memory, constrained, [](std::uint32_t, const Job&) {}) {}
  // Tells what may be placed anew, neither fixed nor held, while it reads: gather(entry, job).
  template <class Gather>
  Draft(const ClusterView& view, Start start, std::pmr::memory_resource* memory, Gather&& gather)
      : Draft(view, start, memory, Constrained::left_alone, std::forward<Gather>(gather)) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft();

  [[nodiscard]] const ClusterView& view() const { return view_; }
  [[nodiscard]] std::pmr::memory_resource* memory() const { return entries_.get_allocator().resource(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const Job& job(std::size_t i) const { return *entries_[i].job; }
  [[nodiscard]] JobId id(std::size_t i) const { return entries_[i].id; }
  [[nodiscard]] std::size_t index_of(JobId job) const;  // the job must be in the view

  [[nodiscard]] Shares placement(std::size_t i) const { return {entries_[i].shares, entries_[i].count}; }
  [[nodiscard]] bool placed(std::size_t i) const { return entries_[i].count > 0; }
  [[nodiscard]] bool fixed(std::size_t i) const { return entries_[i].fixed; }
  // Has a placement in force.
  [[nodiscard]] bool stood(std::size_t i) const { return entries_[i].stood; }
  // Stands as it did, and has not been taken off meanwhile. False: perhaps it does.
  [[nodiscard]] bool untouched(std::size_t i) const { return entries_[i].untouched; }
  // How many jobs are placed; how many of them cannot be taken off.
  [[nodiscard]] std::size_t placed_count() const { return placed_; }
  [[nodiscard]] std::size_t fixed_count() const { return fixed_; }
  [[nodiscard]] std::pmr::vector<std::uint32_t> placed_entries() const;
  // Have a placement in force, by increasing id; it may have been left out meanwhile.
  [[nodiscard]] std::span<const std::uint32_t> stood_entries() const { return stood_; }
  // Waits or is paused, and may be placed.
  [[nodiscard]] bool candidate(std::size_t i) const { return !placed(i) && !job(i).held && !fixed(i); }
  // Asks for what this draft's policy does not place.
  [[nodiscard]] bool beyond_policy(std::size_t i) const {
    return constrained_ == Constrained::left_alone && is_constrained(job(i).demand);
  }

  void place(std::size_t i, Shares shares);  // an unplaced job; the shares are copied
  void remove(std::size_t i);                // a placed one

  // Room for `count` shares, to be filled and then adopted: they live as long as the draft.
  [[nodiscard]] std::span<Share> store(std::size_t count);
  // As place, of shares from the store, which are not copied; the nodes have to be charged besides, job by
  // job or node by node.
  void adopt(std::size_t i, Shares stored);
  void charge(std::size_t i) { charge(job(i).demand, placement(i), 1); }
  void charge_in_a_row(std::pmr::vector<FilledNodes> filled) { capacity_.take_in_a_row(std::move(filled)); }

  // From now on it is not to be touched: a placed job.
  void fix(std::size_t i) {
    fixed_ += entries_[i].fixed ? 0 : 1;
    entries_[i].fixed = true;
  }

  [[nodiscard]] const Node& node(std::size_t n) const { return view_.nodes[n]; }
  [[nodiscard]] std::size_t nodes() const { return view_.nodes.size(); }
  [[nodiscard]] const std::pmr::vector<NodeRun>& node_runs() const { return capacity_.runs(); }
  [[nodiscard]] const NodeLedger& ledger(std::size_t n) const { return capacity_.all()[n]; }
  [[nodiscard]] const CapacityIndex& capacity() const { return capacity_; }
  // Soon the job and its places will be read: many jobs do not fit in the caches near the core.
  void prefetch(std::size_t i) const {
    const Entry& entry = entries_[i];
    __builtin_prefetch(&entry.job->id);
    __builtin_prefetch(&entry.job->placement);
    __builtin_prefetch(entry.shares);
  }
  // Only its places; only the job, but all of that.
  void prefetch_shares(std::size_t i) const { __builtin_prefetch(entries_[i].shares); }
  void prefetch_job(std::size_t i) const { prefetch(*entries_[i].job); }
  // How many tasks of this demand the node can take now; 0 if it takes nothing new.
  [[nodiscard]] std::int64_t slots(std::size_t n, const Demand& demand) const;
  // All its tasks could be placed now, with nobody moved.
  [[nodiscard]] bool fits(const Demand& demand) const;

  // The delta against what is in force. yields[i] is the yield of a placed job i.
  [[nodiscard]] Plan plan(const Yields& yields) const;

 private:
  struct Entry {
    const Job* job = nullptr;
    JobId id;
    const Share* shares = nullptr;
    std::uint32_t count = 0;
    bool fixed = false;
    bool stood = false;
    bool untouched = false;
  };
  template <class Gather>
  Draft(const ClusterView& view, Start start, std::pmr::memory_resource* memory, Constrained constrained,
        Gather&& gather)
      : Draft(Unread{}, view, start, memory, constrained) {
    std::uint32_t entry = 0;
    for (auto next = view.jobs.begin(); next != view.jobs.end();) {
      const Job& job = next->second;
      if (++next != view.jobs.end()) prefetch(next->second);
      const bool fixed = read(job, start);
      if (!fixed && !job.held) gather(entry, job);
      ++entry;
    }
  }
  static void prefetch(const Job& job) {
    constexpr std::size_t kLine = 64;
    const auto* const first = reinterpret_cast<const char*>(&job);
    for (std::size_t at = 0; at < sizeof(Job); at += kLine) __builtin_prefetch(first + at);
  }
  struct Unread {};
  Draft(Unread unread, const ClusterView& view, Start start, std::pmr::memory_resource* memory,
        Constrained constrained);
  // The next job; answers whether it is fixed.
  bool read(const Job& job, Start start) {
    const bool stood = !job.placement.empty();
    const bool beyond = constrained_ == Constrained::left_alone && is_constrained(job.demand);
    const bool free = start == Start::only_fixed && capacity_.all_usable() && job.demand.movable &&
                      !job.pinned && !beyond;
    if (stood) stood_.push_back(static_cast<std::uint32_t>(entries_.size()));
    if (stood && !free) return read_placed(job, start, beyond);
    entries_.push_back({&job, job.id, nullptr, 0, beyond, stood});
    return beyond;
  }
  bool read_placed(const Job& job, Start start, bool beyond);
  void charge(const Demand& demand, Shares shares, std::int64_t sign);

  const ClusterView& view_;
  const Constrained constrained_;
  const bool loaded_;  // the rooms began with all that is in force
  CapacityIndex capacity_;
  std::size_t placed_ = 0;
  std::size_t fixed_ = 0;
  std::pmr::vector<Entry> entries_;
  std::pmr::vector<std::uint32_t> stood_;
  std::pmr::vector<std::span<Share>> chunks_;  // of the store
  std::span<Share> unused_;                    // of the last chunk
};

// For a policy that places jobs with devices and spreads too: from what is in force.
[[nodiscard]] inline Draft placing_draft(const ClusterView& view) {
  return Draft(view, Draft::Start::as_in_force, std::pmr::get_default_resource(),
               Draft::Constrained::placed);
}

// How many tasks of one demand a node can take beside what it has given away. To be asked about many nodes.
class SlotsBeside {
 public:
  explicit SlotsBeside(const Demand& demand)
      : SlotsBeside(demand.memory, guaranteed_cpu(demand), demand.tasks) {}
  SlotsBeside(Memory each, Cpu guaranteed, std::uint32_t tasks)
      : memory_(each), each_(guaranteed), tasks_(tasks) {}
  [[nodiscard]] std::int64_t operator()(Cpu capacity, const NodeLedger& room) const {
    return within(room.free, capacity - room.guaranteed);
  }
  [[nodiscard]] bool any_within(Memory free, Cpu spare) const { return free >= memory_ && spare >= each_; }
  [[nodiscard]] std::int64_t tasks() const { return tasks_; }
  // In so much memory, beside so much CPU that is not guaranteed to others.
  [[nodiscard]] std::int64_t within(Memory free, Cpu spare) const {
    if (!any_within(free, spare)) return 0;
    std::int64_t count = tasks_;  // mostly all fit, and nothing is divided
    if (exceeds(memory_, count, free)) count = free.raw / memory_.raw;
    if (exceeds(each_, count, spare)) count = spare.raw / each_.raw;
    return count;
  }

 private:
  Memory memory_;
  Cpu each_;
  std::int64_t tasks_;
};
[[nodiscard]] inline std::int64_t slots_beside(const Node& node, const NodeLedger& room,
                                               const Demand& demand) {
  return SlotsBeside(demand)(node.capacity, room);
}

// Could the cluster hold the demand if it ran nothing else: all of it, or only the nodes that are up?
[[nodiscard]] bool fits_when_empty(const ClusterView& view, const Demand& demand, bool usable_only);

}  // namespace aliquot
