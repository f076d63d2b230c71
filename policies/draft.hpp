// A plan while it is being made: the cluster as the plan would leave it.
//
// A draft starts from the placements in force. A policy places and removes jobs in it, asks what is free on
// the nodes, and turns it into a Plan at the end: the difference to what is in force. A draft knows no
// algorithm. Its entries, of which every job of the view has one unless the policy names fewer, are
// numbered in the order of increasing job ids, so that every loop over them has one order. It refers to the
// view, which must outlive it.
//
// A job is `fixed` if the plan must leave it as it is: a running job that is pinned, cannot be moved, or
// has tasks on a node that takes nothing new; and, for a policy that does not place devices and spreads,
// every job that asks for them, whether it runs or waits. A running job that is held and not fixed is
// removed when the draft is made, because every policy pauses it.
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

// The placement of one job in a draft or in its view, not owned. Reads like a Placement.
class Shares : public std::span<const Share> {
 public:
  using std::span<const Share>::span;
  // Converts both ways, as a string_view does.
  Shares(const Placement& placement)  // NOLINT(google-explicit-constructor)
      : std::span<const Share>(placement) {}
  operator Placement() const { return {begin(), end()}; }  // NOLINT(google-explicit-constructor)
  friend bool operator==(Shares a, Shares b) {
    return a.size() == b.size() && (a.data() == b.data() || std::equal(a.begin(), a.end(), b.begin()));
  }
};

// The yields of the entries of a draft; 0 for a job that is not placed.
using Yields = std::pmr::vector<Yield>;

class Draft {
 public:
  enum class Start : std::uint8_t {
    as_in_force,
    only_fixed,  // all other jobs are removed: all jobs are to be packed anew
  };

  // What becomes of jobs that ask for devices or a spread (is_constrained). A policy that places them
  // assigns device slots itself: a draft counts CPU and memory.
  enum class Constrained : std::uint8_t { left_alone, placed };

  // All that the draft allocates, and all that it returns by value except the plan, lives in `memory`.
  explicit Draft(const ClusterView& view, Start start = Start::as_in_force,
                 std::pmr::memory_resource* memory = std::pmr::get_default_resource(),
                 Constrained constrained = Constrained::left_alone);
  // From what is in force, with entries for these jobs alone: in increasing ids, with all that stand
  // somewhere. The view has an index.
  Draft(const ClusterView& view, std::span<const JobId> jobs);
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  [[nodiscard]] const ClusterView& view() const { return view_; }
  [[nodiscard]] std::pmr::memory_resource* memory() const { return entries_.get_allocator().resource(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const Job& job(std::size_t i) const { return *entries_[i].job; }
  [[nodiscard]] JobId id(std::size_t i) const { return entries_[i].id; }
  [[nodiscard]] std::size_t index_of(JobId job) const;  // the job must have an entry

  [[nodiscard]] Shares placement(std::size_t i) const { return {entries_[i].shares, entries_[i].count}; }
  [[nodiscard]] bool placed(std::size_t i) const { return entries_[i].count > 0; }
  [[nodiscard]] bool fixed(std::size_t i) const { return entries_[i].fixed; }
  // Whether it has a placement in force.
  [[nodiscard]] bool stood(std::size_t i) const { return entries_[i].stood; }
  // Whether it is placed where it stands in force.
  [[nodiscard]] bool stays(std::size_t i) const {
    return entries_[i].untouched || (placed(i) && placement(i) == Shares(job(i).placement));
  }
  // The number of jobs that are placed, and of these the number that are fixed.
  [[nodiscard]] std::size_t placed_count() const { return placed_; }
  [[nodiscard]] std::size_t fixed_count() const { return fixed_; }
  [[nodiscard]] std::pmr::vector<std::uint32_t> placed_entries() const;
  // Whether it waits or is paused and may be placed.
  [[nodiscard]] bool candidate(std::size_t i) const { return !placed(i) && !job(i).held && !fixed(i); }
  // Whether it asks for devices or a spread, which this draft's policy does not place.
  [[nodiscard]] bool beyond_policy(std::size_t i) const {
    return constrained_ == Constrained::left_alone && is_constrained(job(i).demand);
  }

  void place(std::size_t i, Shares shares);  // a job that is not placed; the shares are copied
  void remove(std::size_t i);                // a job that is placed
  void fix(std::size_t i);                   // a job that is placed: from now on it stays

  // For many jobs at once: an array of shares that lives as long as the draft, to be filled; adopt() places
  // a job there without a copy, and does not charge the nodes.
  [[nodiscard]] std::span<Share> store(std::size_t count);
  void adopt(std::size_t i, Shares stored);
  void charge(std::size_t i) { charge(job(i).demand, placement(i), 1); }
  void charge_in_order(std::span<const FilledNodes> filled) { capacity_.take_in_order(filled); }

  [[nodiscard]] const Node& node(std::size_t n) const { return view_.nodes[n]; }
  [[nodiscard]] std::size_t nodes() const { return view_.nodes.size(); }
  [[nodiscard]] const std::pmr::vector<NodeRun>& node_runs() const { return capacity_.runs(); }
  [[nodiscard]] const NodeLedger& ledger(std::size_t n) const { return capacity_.of(n); }
  [[nodiscard]] const CapacityIndex& capacity() const { return capacity_; }
  // How many tasks of this demand the node can take now; 0 if it takes nothing new.
  [[nodiscard]] std::int64_t slots(std::size_t n, const Demand& demand) const;
  // Whether all its tasks could be placed now, without moving any other job.
  [[nodiscard]] bool fits(const Demand& demand) const;
  // Whether they could if no node held anything; usable_only: on the nodes that are up.
  [[nodiscard]] bool fits_when_empty(const Demand& demand, bool usable_only) const;

  // The difference to what is in force. yields[i] is the yield of a placed job i.
  [[nodiscard]] Plan plan(const Yields& yields) const;

 private:
  struct Entry {
    const Job* job = nullptr;
    JobId id;
    const Share* shares = nullptr;
    std::uint32_t count = 0;
    bool fixed = false;
    bool stood = false;      // it has a placement in force
    bool untouched = false;  // it has never been removed from its placement in force
  };
  void read(const Job& job, Start start);
  void charge(const Demand& demand, Shares shares, std::int64_t sign);

  const ClusterView& view_;
  const Constrained constrained_;
  const bool loaded_;  // the ledgers began with the loads of all jobs in force
  CapacityIndex capacity_;
  std::size_t placed_ = 0;
  std::size_t fixed_ = 0;
  std::pmr::vector<Entry> entries_;
  std::pmr::monotonic_buffer_resource shares_;  // what store() hands out
};

// From what is in force, for a policy that places jobs with devices and spreads too.
[[nodiscard]] inline Draft placing_draft(const ClusterView& view) {
  return Draft(view, Draft::Start::as_in_force, std::pmr::get_default_resource(),
               Draft::Constrained::placed);
}

// How many tasks of one demand a node can take beside what it holds. To be asked about many nodes.
class SlotsBeside {
 public:
  explicit SlotsBeside(const Demand& demand)
      : SlotsBeside(demand.memory, guaranteed_cpu(demand), demand.tasks) {}
  SlotsBeside(Memory each, Cpu guaranteed, std::uint32_t tasks)
      : memory_(each), each_(guaranteed), tasks_(tasks) {}
  [[nodiscard]] std::int64_t operator()(Cpu capacity, const NodeLedger& room) const {
    return within(room.free, capacity - room.guaranteed);
  }
  // Within so much free memory, and so much CPU that is not guaranteed to others.
  [[nodiscard]] std::int64_t within(Memory free, Cpu spare) const {
    if (free < memory_ || spare < each_) return 0;
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

}  // namespace aliquot
