// What is left on every node while a plan is being worked out: the books of a draft.
//
// A cluster is large and most decisions ask little about it, so the books are laid out only when a single
// node is asked for or charged. Until then they are what the core has added up, or nothing at all, or a
// packing as it was found: so many nodes in a row with the same on each. Knows nodes, but no jobs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <utility>
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

// Neighbouring nodes alike in what they can take: [first, first + count).
struct NodeRun {
  Cpu capacity;
  Memory memory;
  bool usable = true;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// `nodes` usable nodes in a row with the same on each.
struct FilledNodes {
  std::uint32_t nodes = 0;
  Charge each;
};

class CapacityIndex {
 public:
  // in_force: as the view's index has it, which must be kept; else empty nodes.
  CapacityIndex(const ClusterView& view, bool in_force, std::pmr::memory_resource* memory);

  [[nodiscard]] const std::pmr::vector<NodeRun>& runs() const { return runs_; }
  [[nodiscard]] bool all_usable() const { return all_usable_; }

  [[nodiscard]] const NodeLedger* all() const {
    if (ledgers_.empty()) lay_out();
    return ledgers_.data();
  }
  // The same of one node; nothing is laid out for it.
  [[nodiscard]] NodeLedger of(std::size_t n) const {
    if (!is_plainly_in_force()) return all()[n];
    return ledger_of(view_.nodes[n].memory, view_.index.load({static_cast<std::uint32_t>(n)}));
  }
  void take(std::size_t n, const Charge& each, std::int64_t count) {
    if (ledgers_.empty()) lay_out();
    ledgers_[n].take(each, count);
    if (count < 0 && !most_free_.empty())
      most_free_[n / kBlock] = std::max(most_free_[n / kBlock], ledgers_[n].free);
  }
  // Tasks on several nodes, sign 1, or off them, -1. The shares of the first that come to what is in force
  // must live as long as the books.
  void take(const Charge& each, std::span<const Share> shares, std::int64_t sign) {
    if (sign > 0 && is_plainly_in_force()) {
      beside_ = {each, shares};
      return;
    }
    for (const Share& share : shares) take(share.node.raw, each, sign * share.units);
  }
  // The usable nodes that have this much memory free, in their order: each(run, node, ledger). A full
  // cluster is looked at by blocks. Where each() answers something, true is the end.
  template <class Each>
  void each_with_free(Memory memory, Each&& each) const;
  // The same of one block, where all nodes are one run: node n is of block n / kBlock.
  static constexpr std::uint32_t kBlock = 32;
  template <class Each>
  void each_with_free_of(std::uint32_t block, Memory memory, Each&& each) const;
  // The usable nodes in their order, the first of `filled` first; those that are left get nothing.
  void take_in_a_row(std::pmr::vector<FilledNodes> filled);

  // The usable nodes of which nothing is needed, in their order: each(node, ledger); true is the end.
  // Nothing is laid out for it.
  template <class Each>
  void each_unloaded(Each&& each) const;

  // The largest load of a node; by run of nodes.
  [[nodiscard]] std::pmr::vector<Cpu> highest_loads() const;

 private:
  void read_nodes();
  void lay_out() const;
  // What the core has added up is all there is to know.
  [[nodiscard]] bool is_plainly_in_force() const {
    return in_force_ && ledgers_.empty() && beside_.shares.empty();
  }
  // As the core has added them up.
  [[nodiscard]] std::span<const NodeLoad> loads_of(const NodeRun& run) const {
    return {&view_.index.load({run.first}), run.count};
  }
  [[nodiscard]] static NodeLedger ledger_of(Memory whole, const NodeLoad& load) {
    return {whole - load.memory, load.need, load.guaranteed, load.tasks};
  }
  template <class Each>
  void each_filled(Each&& each) const;
  void charge_filled() const;
  void prepare_blocks() const;
  template <class Each>
  bool look_at(const NodeRun& run, std::uint32_t n, std::uint32_t end, Memory memory, Each& each) const;
  template <class Each>
  void look_at_what_is_in_force(Memory memory, Each& each) const;
  // False: that was the end.
  template <class Each>
  static bool tell(Each& each, const NodeRun& run, std::uint32_t n, const NodeLedger& ledger);

  const ClusterView& view_;
  bool in_force_;

  bool all_usable_ = true;
  std::pmr::vector<NodeRun> runs_;
  std::pmr::vector<FilledNodes> filled_;  // besides, until the ledgers are laid out
  struct Beside {
    Charge each;
    std::span<const Share> shares;
  };
  mutable Beside beside_;                         // what is in force, until then
  mutable bool asked_in_force_ = false;           // once: whoever asks again has the ledgers laid out
  mutable std::pmr::vector<NodeLedger> ledgers_;  // empty: not laid out
  // By block of nodes: none of them has more memory free; empty: nobody has asked yet.
  mutable std::pmr::vector<Memory> most_free_;
};

template <class Each>
void CapacityIndex::each_with_free(Memory memory, Each&& each) const {
  if (is_plainly_in_force() && !std::exchange(asked_in_force_, true))
    return look_at_what_is_in_force(memory, each);
  prepare_blocks();
  for (const NodeRun& run : runs_) {
    if (!run.usable) continue;
    const std::uint32_t end = run.first + run.count;
    for (std::uint32_t n = run.first, next = n; n < end; n = next) {
      next = std::min(end, (n / kBlock + 1) * kBlock);
      if (!look_at(run, n, next, memory, each)) return;
    }
  }
}

template <class Each>
void CapacityIndex::each_unloaded(Each&& each) const {
  const NodeLedger* const ledgers = is_plainly_in_force() ? nullptr : all();
  for (const NodeRun& run : runs_) {
    if (!run.usable) continue;
    std::uint32_t n = run.first;
    if (ledgers) {
      for (const NodeLedger& ledger : std::span(ledgers + n, run.count)) {
        if (ledger.load.raw == 0 && each(n, ledger)) return;
        ++n;
      }
    } else {
      for (const NodeLoad& load : loads_of(run)) {
        if (load.need.raw == 0 && each(n, ledger_of(run.memory, load))) return;
        ++n;
      }
    }
  }
}

template <class Each>
void CapacityIndex::each_with_free_of(std::uint32_t block, Memory memory, Each&& each) const {
  prepare_blocks();
  const NodeRun& run = runs_.front();
  look_at(run, block * kBlock, std::min(run.count, (block + 1) * kBlock), memory, each);
}

// Nodes of one block; false: that was the end.
template <class Each>
bool CapacityIndex::look_at(const NodeRun& run, std::uint32_t n, std::uint32_t end, Memory memory,
                            Each& each) const {
  Memory& bound = most_free_[n / kBlock];
  if (bound < memory) return true;
  const NodeLedger* const ledgers = ledgers_.data();
  const bool whole = end - n == kBlock;
  Memory most = ledgers[n].free;
  for (; n < end; ++n) {
    most = std::max(most, ledgers[n].free);
    if (ledgers[n].free >= memory && !tell(each, run, n, ledgers[n])) return false;
  }
  if (whole) bound = most;
  return true;
}

template <class Each>
void CapacityIndex::look_at_what_is_in_force(Memory memory, Each& each) const {
  for (const NodeRun& run : runs_) {
    if (!run.usable) continue;
    const std::uint32_t end = run.first + run.count;
    for (std::uint32_t n = run.first; n < end; ++n) {
      const NodeLedger ledger = ledger_of(run.memory, view_.index.load({n}));
      if (ledger.free >= memory && !tell(each, run, n, ledger)) return;
    }
  }
}

template <class Each>
bool CapacityIndex::tell(Each& each, const NodeRun& run, std::uint32_t n, const NodeLedger& ledger) {
  if constexpr (std::is_void_v<decltype(each(run, n, ledger))>) {
    each(run, n, ledger);
    return true;
  } else {
    return !each(run, n, ledger);
  }
}

inline void CapacityIndex::prepare_blocks() const {
  if (ledgers_.empty()) lay_out();
  if (most_free_.empty()) most_free_.resize(ledgers_.size() / kBlock + 1, Memory{INT64_MAX});
}

}  // namespace aliquot
