// What is free and what is taken on every node while a plan is being made.
//
// A ledger for each node, and an index over them: the most memory that is free on any node of a block of
// neighbours. A search for nodes with free memory passes over full blocks, so that a full cluster of many
// nodes is searched quickly. Knows nodes, but no jobs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "policies/model/view.hpp"

namespace aliquot {

// What tasks take of a node.
struct Charge {
  Memory memory;
  Cpu need;
  Cpu guaranteed;
  std::int64_t tasks = 0;
  void add(const Charge& other, std::int64_t count) {
    memory += other.memory * count;
    need += other.need * count;
    guaranteed += other.guaranteed * count;
    tasks += other.tasks * count;
  }
};
[[nodiscard]] constexpr Charge charge_of_task(const Demand& demand) {
  return {demand.memory, demand.need, guaranteed_cpu(demand), 1};
}

struct NodeLedger {
  Memory free;     // memory not taken
  Cpu load;        // sum of the needs of all tasks here: may exceed the node (DFRS, III-A)
  Cpu guaranteed;  // sum of their guaranteed CPU: may not
  std::int64_t tasks = 0;

  void take(const Charge& each, std::int64_t count) {
    free -= each.memory * count;
    load += each.need * count;
    guaranteed += each.guaranteed * count;
    tasks += each.tasks * count;
  }
};

// Neighbouring nodes of equal capacity, memory and usability: [first, first + count).
struct NodeRun {
  Cpu capacity;
  Memory memory;
  bool usable = true;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// `nodes` consecutive usable nodes with the same charge on each.
struct FilledNodes {
  std::uint32_t nodes = 0;
  Charge each;
};

class CapacityIndex {
 public:
  // Of one block are the nodes with equal n / kBlock.
  static constexpr std::uint32_t kBlock = 32;

  // in_force: with the loads in the view's index, which must be kept; else with empty nodes.
  CapacityIndex(const ClusterView& view, bool in_force, std::pmr::memory_resource* memory);

  [[nodiscard]] const std::pmr::vector<NodeRun>& runs() const { return runs_; }
  [[nodiscard]] bool all_usable() const { return all_usable_; }
  [[nodiscard]] const NodeLedger& of(std::size_t n) const { return ledgers_[n]; }

  // Tasks on these nodes, sign 1, or off them, -1.
  void take(const Charge& each, std::span<const Share> shares, std::int64_t sign);
  // The usable nodes in their order: as many as the first says, then as many as the second, and so on.
  void take_in_order(std::span<const FilledNodes> filled);

  // The usable nodes with at least this much free memory, in their order: each(run, node, ledger).
  template <class Each>
  void each_with_free(Memory memory, Each&& each) const {
    (void)any_with_free(memory, [&](const NodeRun& run, std::uint32_t n, const NodeLedger& ledger) {
      each(run, n, ledger);
      return false;
    });
  }
  // The same up to the first of them for which is(run, node, ledger) is true; false: there is none.
  template <class Is>
  [[nodiscard]] bool any_with_free(Memory memory, Is&& is) const;

 private:
  void find_runs(const ClusterView& view);
  [[nodiscard]] Memory most_free_of(std::size_t block) const;
  void find_most_free();  // of every block

  std::pmr::vector<NodeRun> runs_;
  bool all_usable_ = true;
  std::pmr::vector<NodeLedger> ledgers_;
  std::pmr::vector<Memory> most_free_;  // by block
};

template <class Is>
bool CapacityIndex::any_with_free(Memory memory, Is&& is) const {
  for (const NodeRun& run : runs_) {
    if (!run.usable) continue;
    const std::uint32_t end = run.first + run.count;
    for (std::uint32_t n = run.first, next = n; n < end; n = next) {
      next = std::min(end, (n / kBlock + 1) * kBlock);
      if (most_free_[n / kBlock] < memory) continue;
      for (; n < next; ++n)
        if (ledgers_[n].free >= memory && is(run, n, ledgers_[n])) return true;
    }
  }
  return false;
}

}  // namespace aliquot
