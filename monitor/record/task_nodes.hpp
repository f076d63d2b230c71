// A node for each task of a run of tasks: what stands together is said once.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/model/id.hpp"

namespace aliquot {

// Equal nodes take no memory of their own: there is a list only where two tasks differ.
class TaskNodes {
 public:
  TaskNodes() = default;
  TaskNodes(NodeId all) : all_(all) {}  // NOLINT(google-explicit-constructor): one node for all of them

  // Of the run's task number `at`, counted from 0.
  [[nodiscard]] NodeId operator[](std::uint32_t at) const { return each_.empty() ? all_ : each_[at]; }
  [[nodiscard]] bool is_one() const { return each_.empty(); }
  // One for each task; empty if one is all there is to say.
  [[nodiscard]] const std::vector<NodeId>& each() const { return each_; }
  // The next task's, after those of the first `count`. `most`: room is made for so many in all.
  void append(std::uint32_t count, NodeId node, std::size_t most = 0) {
    if (each_.empty()) {
      if (node == all_) return;
      each_.reserve(most);
      each_.assign(count, all_);
    }
    each_.push_back(node);
  }
  friend bool operator==(const TaskNodes&, const TaskNodes&) = default;

 private:
  NodeId all_;  // also the first of a list
  std::vector<NodeId> each_;
};

}  // namespace aliquot
