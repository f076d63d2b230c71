#include "policies/dfrs/preemption.hpp"

#include <algorithm>
#include <vector>

#include "policies/dfrs/priority.hpp"

namespace aliquot {

namespace {

// How many tasks of a demand fit, kept up to date while jobs are taken off and put back.
class SlotCount {
 public:
  SlotCount(Draft& draft, const Demand& demand)
      : draft_(draft),
        rooms_(draft.capacity().all()),
        only_run_(draft.node_runs().size() == 1 ? &draft.node_runs().front() : nullptr),
        beside_(demand),
        missing_(demand.tasks) {
    draft.capacity().each_with_free(demand.memory,
                                    [&](const NodeRun& run, std::uint32_t, const NodeLedger& room) {
                                      missing_ -= beside_(run.capacity, room);
                                    });
  }
  [[nodiscard]] bool enough() const { return missing_ <= 0; }

  void take_off(std::size_t i) {
    const Shares where = draft_.placement(i);
    missing_ += on(where);
    draft_.remove(i);
    missing_ -= on(where);
  }
  void put_back(std::size_t i) {
    const Placement& where = draft_.job(i).placement;
    missing_ += on(where);
    draft_.adopt(i, where);  // the view keeps them
    draft_.charge(i);
    missing_ -= on(where);
  }

 private:
  [[nodiscard]] std::int64_t on(Shares where) const {
    std::int64_t slots = 0;
    for (const Share& share : where) {
      const std::uint32_t n = share.node.raw;
      if (only_run_ != nullptr) {
        slots += only_run_->usable ? beside_(only_run_->capacity, rooms_[n]) : 0;
      } else if (const Node& node = draft_.node(n); node.usable()) {
        slots += beside_(node.capacity, rooms_[n]);
      }
    }
    return slots;
  }

  Draft& draft_;
  const NodeLedger* const rooms_;
  const NodeRun* const only_run_;  // where all nodes are alike: a node itself is far away in memory
  const SlotsBeside beside_;
  std::int64_t missing_;
};

// Jobs that run now and may be paused, the highest priority first.
std::vector<std::size_t> pausable(const Draft& draft) {
  std::vector<std::size_t> entries;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const Job& job = draft.job(i);
    const bool stands_as_before = draft.placed(i) && draft.placement(i) == job.placement;
    if (stands_as_before && !draft.fixed(i) && job.progress.at(draft.view().now).raw > 0) {
      entries.push_back(i);
    }
  }
  return by_decreasing_priority(draft, std::move(entries));
}

}  // namespace

bool preempt_for(Draft& draft, const Demand& demand) { return preempt_for(draft, demand, pausable(draft)); }

bool preempt_for(Draft& draft, const Demand& demand, std::span<const std::size_t> running) {
  SlotCount slots(draft, demand);
  std::vector<std::size_t> marked;
  for (auto victim = running.rbegin(); victim != running.rend() && !slots.enough(); ++victim) {
    slots.take_off(*victim);
    marked.push_back(*victim);
  }
  const bool possible = slots.enough();
  for (auto spared = marked.rbegin(); spared != marked.rend(); ++spared) {
    slots.put_back(*spared);
    if (possible && !slots.enough()) slots.take_off(*spared);
  }
  return possible;
}

PreemptionSearch::PreemptionSearch(Draft& draft)
    : draft_(draft),
      only_run_(draft.node_runs().size() == 1 ? &draft.node_runs().front() : nullptr),
      slots_(Demand{}),
      thoughts_(draft.memory()),
      marked_(draft.memory()),
      paused_(draft.memory()) {
  thoughts_.resize(draft.nodes());
  const NodeLedger* room = draft.capacity().all();
  for (Thought& thought : thoughts_) {
    thought = {room->free, room->guaranteed};
    ++room;
  }
}

void PreemptionSearch::begin(const Demand& demand) {
  put_back_all();
  paused_.clear();
  slots_ = SlotsBeside(demand);
  memory_ = demand.memory;
  missing_ = demand.tasks;
  draft_.capacity().each_with_free(demand.memory,
                                   [&](const NodeRun& run, std::uint32_t, const NodeLedger& room) {
                                     missing_ -= slots_(run.capacity, room);
                                   });
}

void PreemptionSearch::changed(Shares where) {
  put_back_all();
  const NodeLedger* const rooms = draft_.capacity().all();
  for (const Share& share : where)
    thoughts_[share.node.raw] = {rooms[share.node.raw].free, rooms[share.node.raw].guaranteed};
}

PreemptionSearch::Thought PreemptionSearch::without(const Thought& node, const Candidate& candidate,
                                                    const Share& share) {
  return {node.free + candidate.each.memory * share.units,
          node.guaranteed - candidate.each.guaranteed * share.units};
}

// How many tasks more a node has room for, if it comes to have so much more free.
std::int64_t PreemptionSearch::gain(std::uint32_t n, const Thought& before, const Thought& after) const {
  if (after.free < memory_) return 0;
  if (!(only_run_ != nullptr ? only_run_->usable : draft_.node(n).usable())) return 0;
  const Cpu capacity = only_run_ != nullptr ? only_run_->capacity : draft_.node(n).capacity;
  return slots_.within(after.free, capacity - after.guaranteed) -
         slots_.within(before.free, capacity - before.guaranteed);
}

void PreemptionSearch::take_off(const Candidate& candidate) {
  leave_out(candidate);
  marked_.push_back(&candidate);
}

void PreemptionSearch::leave_out(const Candidate& candidate) {
  for (const Share& share : candidate.shares) {
    Thought& node = thoughts_[share.node.raw];
    const Thought before = node;
    node = without(before, candidate, share);
    missing_ -= gain(share.node.raw, before, node);
  }
}

// Counts no room. Answers whether that might have mattered: a node had the memory for a task.
bool PreemptionSearch::put_back(const Candidate& candidate) {
  bool any = false;
  for (const Share& share : candidate.shares) {
    Thought& node = thoughts_[share.node.raw];
    any |= node.free >= memory_;
    node.free -= candidate.each.memory * share.units;
    node.guaranteed += candidate.each.guaranteed * share.units;
  }
  return any;
}

// For whom there was no room.
void PreemptionSearch::put_back_all() {
  for (const Candidate* const candidate : marked_) (void)put_back(*candidate);
  marked_.clear();
}

std::span<const std::uint32_t> PreemptionSearch::finish() {
  for (std::size_t k = marked_.size(); k-- > 0;) {
    const Candidate& candidate = *marked_[k];
    if (!put_back(candidate)) continue;
    for (const Share& share : candidate.shares) {
      const Thought& node = thoughts_[share.node.raw];
      missing_ += gain(share.node.raw, node, without(node, candidate, share));
    }
    if (enough()) continue;
    leave_out(candidate);
    paused_.push_back(candidate.entry);
  }
  marked_.clear();
  for (const std::uint32_t entry : paused_) draft_.remove(entry);
  return paused_;
}

}  // namespace aliquot
