#include "policies/dfrs/make_room.hpp"

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
        rooms_(draft.rooms().all()),
        only_run_(draft.node_runs().size() == 1 ? &draft.node_runs().front() : nullptr),
        beside_(demand),
        missing_(demand.tasks) {
    draft.rooms().each_with_free(demand.memory, [&](const NodeRun& run, std::uint32_t, const Room& room) {
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
  const Room* const rooms_;
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

bool make_room(Draft& draft, const Demand& demand) { return make_room(draft, demand, pausable(draft)); }

bool make_room(Draft& draft, const Demand& demand, std::span<const std::size_t> running) {
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

RoomMaker::RoomMaker(Draft& draft)
    : draft_(draft),
      only_run_(draft.node_runs().size() == 1 ? &draft.node_runs().front() : nullptr),
      slots_(Demand{}),
      thoughts_(draft.nodes(), draft.memory()),
      marked_(draft.memory()),
      paused_(draft.memory()) {}

void RoomMaker::begin(const Demand& demand) {
  marked_.clear();
  paused_.clear();
  ++turn_;
  slots_ = SlotsBeside(demand);
  memory_ = demand.memory;
  missing_ = demand.tasks;
  draft_.rooms().each_with_free(demand.memory, [&](const NodeRun& run, std::uint32_t, const Room& room) {
    missing_ -= slots_(run.capacity, room);
  });
}

// What a task may be given is free by so much more, or less.
void RoomMaker::change(const Candidate& candidate, std::int64_t sign) {
  const Room* const rooms = draft_.rooms().all();
  for (const Share& share : candidate.shares) {
    const std::uint32_t n = share.node.raw;
    Thought& node = thoughts_[n];
    if (node.turn != turn_) node = {rooms[n].free, rooms[n].guaranteed, turn_};
    const Thought before = node;
    node.free += candidate.each.memory * (sign * share.units);
    node.guaranteed -= candidate.each.guaranteed * (sign * share.units);
    if (std::max(before.free, node.free) < memory_) continue;
    if (!(only_run_ != nullptr ? only_run_->usable : draft_.node(n).usable())) continue;
    const Cpu capacity = only_run_ != nullptr ? only_run_->capacity : draft_.node(n).capacity;
    missing_ -= slots_.within(node.free, capacity - node.guaranteed) -
                slots_.within(before.free, capacity - before.guaranteed);
  }
}

void RoomMaker::take_off(const Candidate& candidate) {
  change(candidate, 1);
  marked_.push_back(&candidate);
}

// A node that has not the memory for a task will not have it when less is free: what it would have need not
// be known any more.
bool RoomMaker::may_matter(const Candidate& candidate) const {
  return std::any_of(candidate.shares.begin(), candidate.shares.end(),
                     [&](const Share& share) { return thoughts_[share.node.raw].free >= memory_; });
}

std::span<const std::uint32_t> RoomMaker::finish() {
  for (std::size_t k = marked_.size(); k-- > 0;) {
    const Candidate& candidate = *marked_[k];
    if (!may_matter(candidate)) continue;
    change(candidate, -1);
    if (enough()) continue;
    change(candidate, 1);
    paused_.push_back(candidate.entry);
  }
  for (const std::uint32_t entry : paused_) draft_.remove(entry);
  return paused_;
}

}  // namespace aliquot
