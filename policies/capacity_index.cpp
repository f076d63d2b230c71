#include "policies/capacity_index.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace aliquot {
namespace {

// Several at a time, none of which waits for the others: it is asked about all nodes in every decision.
template <class T>
Cpu most_of(std::span<const T> nodes, Cpu T::*load) {
  constexpr std::size_t kLanes = 4;
  std::array<Cpu, kLanes> most{};
  std::size_t n = 0;
  for (; n + kLanes <= nodes.size(); n += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) most[k] = std::max(most[k], nodes[n + k].*load);
  for (; n < nodes.size(); ++n) most[0] = std::max(most[0], nodes[n].*load);
  return *std::ranges::max_element(most);
}

}  // namespace

CapacityIndex::CapacityIndex(const ClusterView& view, bool in_force, std::pmr::memory_resource* memory)
    : view_(view),
      in_force_(in_force),
      runs_(memory),
      filled_(memory),
      ledgers_(memory),
      most_free_(memory) {
  read_nodes();
}

void CapacityIndex::read_nodes() {
  const ViewIndex& index = view_.index;
  if (index.kept() && index.uniform() && !view_.nodes.empty() &&
      index.usable_count() == view_.nodes.size()) {
    const Node& any = view_.nodes.front();
    runs_.push_back({any.capacity, any.memory, true, 0, static_cast<std::uint32_t>(view_.nodes.size())});
    return;
  }
  for (const Node& node : view_.nodes) {
    const bool usable = node.usable();
    if (!runs_.empty() && runs_.back().capacity == node.capacity && runs_.back().memory == node.memory &&
        runs_.back().usable == usable) {
      ++runs_.back().count;
    } else {
      runs_.push_back({node.capacity, node.memory, usable, node.id.raw, 1});
      all_usable_ = all_usable_ && usable;
    }
  }
}

// Nodes in a row with the same on each, never beyond a run of nodes: each(run's number, first, last,
// charge).
template <class Each>
void CapacityIndex::each_filled(Each&& each) const {
  std::size_t run = 0;
  std::uint32_t done = 0;  // nodes of the run
  for (FilledNodes filled : filled_) {
    while (filled.nodes > 0) {
      const std::uint32_t count = runs_[run].usable ? std::min(filled.nodes, runs_[run].count - done) : 0;
      if (count == 0) {
        ++run;
        done = 0;
        continue;
      }
      const std::uint32_t first = runs_[run].first + done;
      each(run, first, first + count, filled.each);
      done += count;
      filled.nodes -= count;
    }
  }
}

void CapacityIndex::lay_out() const {
  ledgers_.reserve(view_.nodes.size());
  for (const NodeRun& run : runs_) {
    if (!in_force_) {
      ledgers_.insert(ledgers_.end(), run.count, NodeLedger{run.memory, {}, {}, 0});
      continue;
    }
    for (const NodeLoad& load : loads_of(run)) ledgers_.push_back(ledger_of(run.memory, load));
  }
  for (const Share& share : beside_.shares) ledgers_[share.node.raw].take(beside_.each, share.units);
  beside_ = {};
  charge_filled();
}

void CapacityIndex::charge_filled() const {
  each_filled([&](std::size_t, std::uint32_t first, std::uint32_t last, const Charge& charge) {
    for (std::uint32_t n = first; n < last; ++n) ledgers_[n].take(charge, 1);
  });
}

void CapacityIndex::take_in_a_row(std::pmr::vector<FilledNodes> filled) {
  if (in_force_ && ledgers_.empty()) lay_out();
  filled_ = std::move(filled);
  if (ledgers_.empty()) return;
  charge_filled();
  filled_.clear();
}

std::pmr::vector<Cpu> CapacityIndex::highest_loads() const {
  std::pmr::vector<Cpu> highest(runs_.size(), runs_.get_allocator());
  if (ledgers_.empty() && !in_force_) {
    each_filled([&](std::size_t run, std::uint32_t, std::uint32_t, const Charge& charge) {
      highest[run] = std::max(highest[run], charge.need);
    });
    return highest;
  }
  if (runs_.size() > 1 && !beside_.shares.empty()) lay_out();
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    const NodeRun& run = runs_[k];
    if (ledgers_.empty())
      highest[k] = most_of(loads_of(run), &NodeLoad::need);
    else
      highest[k] =
          most_of(std::span<const NodeLedger>(ledgers_).subspan(run.first, run.count), &NodeLedger::load);
  }
  for (const Share& share : beside_.shares)  // beside one run of nodes
    highest[0] = std::max(highest[0], view_.index.load(share.node).need + beside_.each.need * share.units);
  return highest;
}

}  // namespace aliquot
