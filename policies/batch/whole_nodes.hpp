// FCFS and EASY by counting: where all nodes are equal and every running job has yield 1, a decision needs
// only numbers of nodes, and the view's index has them.
//
// The plans equal those of the general algorithms (fcfs.cpp, easy.cpp), node by node; a test compares them.
#pragma once

#include <optional>
#include <vector>

#include "policies/model/plan.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

// Hands out idle nodes one by one, from the lowest number up. The index, which must outlive it, is copied
// when the first is taken: often no job can start.
class IdleNodes {
 public:
  explicit IdleNodes(const ViewIndex& index) : index_(&index), count_(index.idle_count()) {}

  [[nodiscard]] std::uint32_t count() const { return count_; }
  // Takes so many; there must be as many.
  void take(std::uint32_t tasks, Placement& placement);
  // The lowest `tasks` become a set of their own, and are gone from this one.
  [[nodiscard]] IdleNodes split(std::uint32_t tasks);

 private:
  explicit IdleNodes(std::size_t words) : words_(words) {}

  const ViewIndex* index_ = nullptr;  // until it is copied
  std::vector<std::uint64_t> words_;
  std::uint32_t count_ = 0;
  std::size_t lowest_ = 0;  // no bit is set in any word before
};

// Whether this view may be decided by counting.
[[nodiscard]] bool countable(const ClusterView& view);

// Starts jobs from the front of the queue while they fit, and adds the changes to the plan. The position
// of the first that could, on an empty cluster, but does not now; SubmissionOrder::kNone if there is none.
[[nodiscard]] std::uint32_t start_in_order(const ClusterView& view, IdleNodes& idle, Plan& plan);

// EASY's second half: jobs behind the head start if they do not delay it.
void backfill(const ClusterView& view, std::uint32_t head, IdleNodes& idle, Plan& plan);

void sort_changes(Plan& plan);

}  // namespace aliquot
