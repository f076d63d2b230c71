#include "policies/capacity_index.hpp"

namespace aliquot {

CapacityIndex::CapacityIndex(const ClusterView& view, bool in_force, std::pmr::memory_resource* memory)
    : runs_(memory), ledgers_(memory), most_free_(memory) {
  ledgers_.reserve(view.nodes.size());
  for (const Node& node : view.nodes) {
    const NodeLoad load = in_force ? view.index.load(node.id) : NodeLoad{};
    ledgers_.push_back({node.memory - load.memory, load.need, load.guaranteed, load.tasks});
    const bool usable = node.usable();
    all_usable_ = all_usable_ && usable;
    const bool same = !runs_.empty() && runs_.back().capacity == node.capacity &&
                      runs_.back().memory == node.memory && runs_.back().usable == usable;
    if (same)
      ++runs_.back().count;
    else
      runs_.push_back({node.capacity, node.memory, usable, node.id.raw, 1});
  }
  const std::size_t blocks = (ledgers_.size() + kBlock - 1) / kBlock;
  most_free_.reserve(blocks);
  for (std::size_t block = 0; block < blocks; ++block) most_free_.push_back(most_free_of(block));
}

Memory CapacityIndex::most_free_of(std::size_t block) const {
  const std::size_t end = std::min<std::size_t>(ledgers_.size(), (block + 1) * kBlock);
  Memory most = ledgers_[block * kBlock].free;
  for (std::size_t n = block * kBlock; n < end; ++n) most = std::max(most, ledgers_[n].free);
  return most;
}

void CapacityIndex::take(std::size_t n, const Charge& each, std::int64_t count) {
  const Memory before = ledgers_[n].free;
  ledgers_[n].take(each, count);
  Memory& most = most_free_[n / kBlock];
  if (ledgers_[n].free >= most)
    most = ledgers_[n].free;
  else if (before == most)
    most = most_free_of(n / kBlock);
}

void CapacityIndex::take(const Charge& each, std::span<const Share> shares, std::int64_t sign) {
  for (const Share& share : shares) take(share.node.raw, each, sign * share.units);
}

void CapacityIndex::take_in_order(std::span<const FilledNodes> filled) {
  std::uint32_t left = filled.empty() ? 0 : filled.front().nodes;  // to be charged as filled.front() says
  for (const NodeRun& run : runs_) {
    if (!run.usable) continue;
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
      while (!filled.empty() && left == 0) {
        filled = filled.subspan(1);
        left = filled.empty() ? 0 : filled.front().nodes;
      }
      if (filled.empty()) return;
      take(n, filled.front().each, 1);
      --left;
    }
  }
}

}  // namespace aliquot
