// What has been promised away of each node while actions are chosen; FreeRoom weighs it against what is
// free.
#pragma once

#include <utility>
#include <vector>

#include "manager/core/cluster.hpp"

namespace aliquot {

// Forgetting it costs what was promised, not what nodes there are, so that it may be kept from round to
// round.
class Promises {
 public:
  // Of so many nodes at least: before the first question.
  void cover(std::size_t nodes) {
    if (by_node_.size() >= nodes) return;
    by_node_.resize(nodes);
    touched_.resize(nodes);
  }
  [[nodiscard]] const NodeCharge& on(NodeId node) const { return by_node_[node.raw].charge; }
  void add(NodeId node, const NodeCharge& wish) {
    Promise& promise = by_node_[node.raw];
    if (!std::exchange(promise.any, true)) touched_[count_++] = node;
    promise.charge.memory += wish.memory;
    promise.charge.cpu += wish.cpu;
  }
  void clear() {
    while (count_ > 0) by_node_[touched_[--count_].raw] = {};
  }

 private:
  struct Promise {
    NodeCharge charge;
    bool any = false;
  };
  std::vector<Promise> by_node_;
  std::vector<NodeId> touched_;  // the first count_
  std::size_t count_ = 0;
};

}  // namespace aliquot
