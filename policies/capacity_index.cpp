#include "policies/capacity_index.hpp"

namespace aliquot {

CapacityIndex::CapacityIndex(const ClusterView& view, bool in_force, std::pmr::memory_resource* memory)
    : runs_(memory), ledgers_(memory), most_free_(memory) {
  find_runs(view);
  ledgers_.reserve(view.nodes.size());
  for (const NodeRun& run : runs_) {
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
      const NodeLoad load = in_force ? view.index.load({n}) : NodeLoad{};
      ledgers_.push_back({run.memory - load.memory, load.need, load.guaranteed, load.tasks});
    }
  }
  most_free_.resize((ledgers_.size() + kBlock - 1) / kBlock);
  find_most_free();
}

// Where the index knows that all nodes are alike, they need not be looked at.
void CapacityIndex::find_runs(const ClusterView& view) {
  const std::vector<Node>& nodes = view.nodes;
  const ViewIndex& index = view.index;
  const auto count = static_cast<std::uint32_t>(nodes.size());
  if (count > 0 && index.kept() && index.uniform() && index.usable_count() == count) {
    runs_.push_back({nodes.front().capacity, nodes.front().memory, true, 0, count});
    return;
  }
  for (const Node& node : nodes) {
    const bool usable = node.usable();
    all_usable_ = all_usable_ && usable;
    const bool same = !runs_.empty() && runs_.back().capacity == node.capacity &&
                      runs_.back().memory == node.memory && runs_.back().usable == usable;
    if (same)
      ++runs_.back().count;
    else
      runs_.push_back({node.capacity, node.memory, usable, node.id.raw, 1});
  }
}

void CapacityIndex::find_most_free() {
  for (std::size_t block = 0; block < most_free_.size(); ++block) most_free_[block] = most_free_of(block);
}

Memory CapacityIndex::most_free_of(std::size_t block) const {
  const std::size_t end = std::min<std::size_t>(ledgers_.size(), (block + 1) * kBlock);
  Memory most = ledgers_[block * kBlock].free;
  for (std::size_t n = block * kBlock; n < end; ++n) most = std::max(most, ledgers_[n].free);
  return most;
}

// In the order of nodes: what is free at most is found once for each block.
void CapacityIndex::take(const Charge& each, std::span<const Share> shares, std::int64_t sign) {
  while (!shares.empty()) {
    const std::size_t block = shares.front().node.raw / kBlock;
    Memory& most = most_free_[block];
    bool lowered = false;  // a node that had as much
    std::size_t count = 0;
    for (; count < shares.size() && shares[count].node.raw / kBlock == block; ++count) {
      NodeLedger& ledger = ledgers_[shares[count].node.raw];
      lowered = lowered || ledger.free == most;
      ledger.take(each, sign * shares[count].units);
      if (ledger.free >= most) most = ledger.free, lowered = false;
    }
    if (lowered) most = most_free_of(block);
    shares = shares.subspan(count);
  }
}

void CapacityIndex::take_in_order(std::span<const FilledNodes> filled) {
  std::uint32_t taken = 0;  // of the nodes of filled.front()
  for (const NodeRun& run : runs_) {
    if (!run.usable) continue;
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
      for (; !filled.empty() && taken == filled.front().nodes; taken = 0) filled = filled.subspan(1);
      if (filled.empty()) return find_most_free();
      ledgers_[n].take(filled.front().each, 1);
      ++taken;
    }
  }
  find_most_free();
}

}  // namespace aliquot
