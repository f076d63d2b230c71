#include "policies/dfrs/bins.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace aliquot {

namespace {
constexpr std::uint32_t kNoRun = UINT32_MAX;
}

Bins::Bins(const Draft& draft)
    : draft_(draft),
      runs_(draft.memory()),
      run_of_node_(draft.memory()),
      node_of_bin_(draft.memory()),
      fixed_(draft.memory()) {
  for (std::size_t i = 0; fixed_.size() < draft.placed_count(); ++i) {
    if (draft.placed(i)) fixed_.push_back(i);
  }
  if (!fixed_.empty()) run_of_node_.assign(draft.nodes(), kNoRun);
  node_of_bin_.reserve(draft.nodes());
  for (const NodeRun& nodes : draft.node_runs()) {
    if (!nodes.usable) continue;
    const std::size_t before = node_of_bin_.size();
    node_of_bin_.resize(before + nodes.count);
    std::iota(node_of_bin_.begin() + static_cast<std::ptrdiff_t>(before), node_of_bin_.end(), nodes.first);
    if (fixed_.empty()) {
      runs_.push_back({nodes.capacity, nodes.memory, nodes.capacity, nodes.memory, nodes.count});
    } else {
      add_one_by_one(nodes);
    }
  }
  volume_ = volume_of(runs_);
}

// Empty neighbours stay together, a node with something fixed on it is a run of its own.
void Bins::add_one_by_one(const NodeRun& nodes) {
  bool last_was_empty = false;
  for (std::uint32_t n = nodes.first; n < nodes.first + nodes.count; ++n) {
    const NodeLedger& room = draft_.ledger(n);
    const bool empty = room.tasks == 0;
    if (empty && last_was_empty) {
      ++runs_.back().count;
    } else {
      runs_.push_back({nodes.capacity, nodes.memory, nodes.capacity, std::max(room.free, Memory{}), 1});
    }
    run_of_node_[n] = static_cast<std::uint32_t>(runs_.size() - 1);
    last_was_empty = empty;
  }
}

const std::pmr::vector<BinRun>& Bins::at(const PackingObjective& objective, Yield level) {
  if (fixed_.empty()) return runs_;
  for (BinRun& run : runs_) run.free_cpu = run.capacity;
  for (std::size_t i : fixed_) {
    const Cpu each = draft_.job(i).demand.need * objective.line(draft_.job(i)).at(level);
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
  volume_ = volume_of(runs_);
  return runs_;
}

Memory Bins::free_memory() const {
  return {static_cast<std::int64_t>(std::min<Int128>(volume_.free.memory, INT64_MAX))};
}

std::int64_t Bins::slots(Demand demand) const {
  demand.tasks = std::numeric_limits<std::uint32_t>::max();
  std::int64_t slots = 0;
  std::size_t bin = 0;
  for (const BinRun& run : runs_) {
    const Node& node = draft_.node(node_of_bin_[bin]);
    const NodeLedger room =
        fixed_.empty() ? NodeLedger{node.memory, {}, {}, 0} : draft_.ledger(node.id.raw);
    slots += slots_beside(node, room, demand) * run.count;
    bin += run.count;
  }
  return slots;
}

}  // namespace aliquot
