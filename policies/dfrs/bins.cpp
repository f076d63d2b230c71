#include "policies/dfrs/bins.hpp"

#include <algorithm>

namespace aliquot {

namespace {
constexpr std::uint32_t kNoRun = UINT32_MAX;
}

Bins::Bins(const Draft& draft) : draft_(draft), run_of_node_(draft.nodes(), kNoRun) {
  bool last_was_empty = false;
  for (std::uint32_t n = 0; n < draft.nodes(); ++n) {
    const Node& node = draft.node(n);
    const Room& room = draft.room(n);
    if (!node.usable()) continue;
    const bool empty = room.tasks == 0;
    if (empty && last_was_empty && runs_.back().capacity == node.capacity &&
        runs_.back().memory == node.memory) {
      ++runs_.back().count;
    } else {
      runs_.push_back({node.capacity, node.memory, {}, std::max(room.free, Memory{}), 1});
    }
    run_of_node_[n] = static_cast<std::uint32_t>(runs_.size() - 1);
    node_of_bin_.push_back(n);
    last_was_empty = empty;
  }
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i)) fixed_.push_back(i);
  }
}

const std::vector<BinRun>& Bins::at(const LevelRule& rule, Yield level) {
  for (BinRun& run : runs_) run.free_cpu = run.capacity;
  for (std::size_t i : fixed_) {
    const Cpu each = draft_.job(i).demand.need * rule.yield_at(draft_.job(i), level);
    for (const Share& share : draft_.placement(i)) {
      const std::uint32_t run = run_of_node_[share.node.raw];
      if (run != kNoRun) runs_[run].free_cpu -= each * share.units;
    }
  }
  // At level 0 a node that is over-committed all the same counts as full: it takes nothing, and does not
  // stand in the way of the others.
  if (level.raw == 0) {
    for (BinRun& run : runs_) run.free_cpu = std::max(run.free_cpu, Cpu{});
  }
  return runs_;
}

Memory Bins::free_memory() const {
  Memory sum;
  for (const BinRun& run : runs_) sum += run.free_memory * run.count;
  return sum;
}

bool Bins::fits(const Demand& demand) const {
  std::int64_t missing = demand.tasks;
  std::size_t bin = 0;
  for (const BinRun& run : runs_) {
    missing -= draft_.slots(node_of_bin_[bin], demand) * run.count;
    if (missing <= 0) return true;
    bin += run.count;
  }
  return false;
}

}  // namespace aliquot
