// The cluster as a plan would leave it, while the plan is being worked out.
//
// A draft starts from what is in force and is changed job by job; it knows the room left on every node
// and turns into a Plan (the delta) at the end. It knows no algorithm. Entries are numbered in increasing
// job id, so every loop over them has one order. It refers to the view, which must outlive it.
//
// What may not be touched is marked `fixed`: a running job that is pinned, cannot be moved, or has a share
// on a node that takes nothing new. A running job that was put on hold and is not fixed is taken off at
// once: whoever decides, decides without it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "policies/model/plan.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

struct Room {
  Memory free;     // memory not taken
  Cpu load;        // sum of the needs of all tasks here: may exceed the node (DFRS, III-A)
  Cpu guaranteed;  // sum of their guaranteed CPU: may not
  std::int64_t tasks = 0;
};

class Draft {
 public:
  explicit Draft(const ClusterView& view);

  [[nodiscard]] const ClusterView& view() const { return view_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const Job& job(std::size_t i) const { return *entries_[i].job; }
  [[nodiscard]] std::size_t index_of(JobId job) const;  // the job must be in the view

  [[nodiscard]] const Placement& placement(std::size_t i) const {
    return entries_[i].changed ? entries_[i].next : entries_[i].job->placement;
  }
  [[nodiscard]] bool placed(std::size_t i) const { return !placement(i).empty(); }
  [[nodiscard]] bool fixed(std::size_t i) const { return entries_[i].fixed; }
  // Waits or is paused, and may be placed.
  [[nodiscard]] bool candidate(std::size_t i) const { return !placed(i) && !job(i).held; }

  void place(std::size_t i, Placement placement);  // an unplaced job
  void remove(std::size_t i);                      // a placed one

  [[nodiscard]] const Node& node(std::size_t n) const { return view_.nodes[n]; }
  [[nodiscard]] std::size_t nodes() const { return rooms_.size(); }
  [[nodiscard]] const Room& room(std::size_t n) const { return rooms_[n]; }
  // How many tasks of this demand the node can take now; 0 if it takes nothing new.
  [[nodiscard]] std::int64_t slots(std::size_t n, const Demand& demand) const;
  // All its tasks could be placed now, with nobody moved.
  [[nodiscard]] bool fits(const Demand& demand) const;

  // The delta against what is in force. yields[i] is the yield of a placed job i.
  [[nodiscard]] Plan plan(const std::vector<Yield>& yields) const;

 private:
  struct Entry {
    const Job* job = nullptr;
    bool fixed = false;
    bool changed = false;
    Placement next;
  };
  void charge(const Demand& demand, const Placement& placement, std::int64_t sign);

  const ClusterView& view_;
  std::vector<Entry> entries_;
  std::vector<Room> rooms_;
};

// How many tasks of this demand a node can take beside what it has given away.
[[nodiscard]] std::int64_t slots_beside(const Node& node, const Room& room, const Demand& demand);

// Could the cluster hold the demand if it ran nothing else: all of it, or only the nodes that are up?
[[nodiscard]] bool fits_when_empty(const ClusterView& view, const Demand& demand, bool usable_only);

}  // namespace aliquot
