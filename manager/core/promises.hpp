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
  Promises() = default;
  // Room for so many nodes at once; more come by themselves.
  explicit Promises(std::size_t nodes) : by_node_(nodes) {}
  [[nodiscard]] NodeCharge on(NodeId node) const {
    return node.raw < by_node_.size() ? by_node_[node.raw].charge : NodeCharge{};
  }
  void add(NodeId node, const NodeCharge& wish) {
    if (node.raw >= by_node_.size()) by_node_.resize(node.raw + std::size_t{1});
    Promise& promise = by_node_[node.raw];
    if (!std::exchange(promise.any, true)) touched_.push_back(node);
    promise.charge.memory += wish.memory;
    promise.charge.cpu += wish.cpu;
  }
  void clear() {
    for (const NodeId node : touched_) by_node_[node.raw] = {};
    touched_.clear();
  }

 private:
  struct Promise {
    NodeCharge charge;
    bool any = false;
  };
  std::vector<Promise> by_node_;
  std::vector<NodeId> touched_;
};

}  // namespace aliquot
