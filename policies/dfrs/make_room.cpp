#include "policies/dfrs/make_room.hpp"

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
      left_(draft.nodes(), draft.memory()),
      marked_(draft.memory()) {}

void RoomMaker::begin(const Demand& demand) {
  ++call_;
  marked_.clear();
  slots_ = SlotsBeside(demand);
  missing_ = demand.tasks;
  draft_.rooms().each_with_free(demand.memory, [&](const NodeRun& run, std::uint32_t, const Room& room) {
    missing_ -= slots_(run.capacity, room);
  });
}

void RoomMaker::look_up(std::uint32_t n, Left& left) const {
  const bool usable = only_run_ != nullptr ? only_run_->usable : draft_.node(n).usable();
  const Cpu capacity = only_run_ != nullptr ? only_run_->capacity : draft_.node(n).capacity;
  const Room& room = draft_.room(n);
  // What is not usable never has room: less than nothing, whatever is taken off.
  left = {room.free, usable ? capacity - room.guaranteed : Cpu{INT64_MIN / 2}, 0, call_};
  left.slots = slots_.within(left.free, left.spare);
}

void RoomMaker::change(std::uint32_t entry, std::int64_t sign) {
  const Demand& demand = draft_.job(entry).demand;
  const Memory memory = demand.memory * sign;
  const Cpu guaranteed = guaranteed_cpu(demand) * sign;
  for (const Share& share : draft_.placement(entry)) {
    Left& left = left_[share.node.raw];
    if (left.call != call_) look_up(share.node.raw, left);
    left.free += memory * share.units;
    left.spare += guaranteed * share.units;
    const std::int64_t slots = slots_.within(left.free, left.spare);
    missing_ -= slots - left.slots;
    left.slots = slots;
  }
}

void RoomMaker::take_off(std::uint32_t entry) {
  change(entry, 1);
  marked_.push_back(entry);
}

std::span<const std::uint32_t> RoomMaker::finish() {
  std::size_t kept = marked_.size();  // from here on they go
  for (std::size_t k = marked_.size(); k-- > 0;) {
    change(marked_[k], -1);
    if (enough()) continue;
    change(marked_[k], 1);
    marked_[--kept] = marked_[k];
  }
  const auto paused = std::span(marked_).subspan(kept);
  for (const std::uint32_t entry : paused) draft_.remove(entry);
  return paused;
}

}  // namespace aliquot
