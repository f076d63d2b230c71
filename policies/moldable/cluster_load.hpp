// What a job that arrives finds on the nodes: their CPU load and their free memory.
//
// Built from a view once for each such job, and asked about every number of tasks. Where tasks would stand
// follows GREEDY's rule (DFRS, III-A), on which all policies that share nodes build: each task goes to the
// node with the lowest load among those that have memory for it. Nothing is placed or changed.
//
// A load factor is the CPU that the tasks of a node need at full speed, over its capacity; above 1 they
// share it.
#pragma once

#include <optional>
#include <vector>

#include "policies/model/view.hpp"

namespace aliquot::moldable {

// So many tasks that look alike.
struct TaskSet {
  std::uint32_t count = 1;
  Cpu need;       // of each
  Memory memory;  // of each
};

class ClusterLoad {
 public:
  explicit ClusterLoad(const ClusterView& view);

  // The load factors of the nodes on which the tasks would stand, with them.
  struct LoadFactors {
    double least = 0;
    double most = 0;
  };
  // None: there is no memory for all of them now.
  [[nodiscard]] std::optional<LoadFactors> place(const TaskSet& tasks) const;

  // Whether the nodes that take new tasks would have memory for all of them if they were empty.
  [[nodiscard]] bool could_hold(const TaskSet& tasks) const;
  // The CPU that the jobs of the view need, those that wait or are paused included, and the tasks, over
  // that of the nodes that take new tasks. Without such a node: 0.
  [[nodiscard]] double load_with(const TaskSet& tasks) const;
  // The largest memory of a node that takes new tasks.
  [[nodiscard]] Memory largest_memory() const { return largest_memory_; }

 private:
  struct NodeLoad {
    Cpu capacity;
    Cpu load;
    Memory memory;
    Memory free;
    std::uint32_t added = 0;  // of the tasks that are being placed
    [[nodiscard]] double factor() const {
      return static_cast<double>(load.raw) / static_cast<double>(capacity.raw);
    }
  };
  std::vector<NodeLoad> nodes_;  // that take new tasks, in the order of the view
  Memory largest_memory_;
  double capacity_ = 0;  // micro-cores
  double needed_ = 0;    // micro-cores
};

}  // namespace aliquot::moldable
