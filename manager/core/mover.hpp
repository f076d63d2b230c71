// The live migrations of one diff. What is blocked for want of room is remembered from one diff to the
// next: of a job of which nothing has changed, other than that VMs began to move to where they are wanted
// or came there, only the moves to nodes where something became free are looked at again. It changes no
// result: what is not known from the same cluster is looked at anew.
#pragma once

#include <utility>
#include <vector>

#include "manager/core/blocked_moves.hpp"
#include "manager/core/emitter.hpp"
#include "manager/core/room.hpp"
#include "manager/core/tally.hpp"

namespace aliquot {

[[nodiscard]] inline bool answers(const ClusterView& view, NodeId node) {
  const NodeState state = view.nodes[node.raw].state;
  return state == NodeState::up || state == NodeState::draining;
}
[[nodiscard]] inline bool all_up(const ClusterView& view) {
  return view.index.kept() && view.index.usable_count() == view.nodes.size();
}
// May something be done to this VM now? Never while something else is, or while nobody knows what it does.
[[nodiscard]] inline bool free_to_act(const ClusterView& view, const Vm& vm) {
  return !vm.flight && !vm.unclear && vm.not_before <= view.now && vm.state != VmState::ended;
}

class Mover {
 public:
  // Afterwards the memory has what is blocked now.
  Mover(const Cluster& cluster, BlockedMoves& memory, FreeRoom& room, Emitter& emitter)
      : cluster_(cluster), memory_(memory), room_(room), emitter_(emitter), same_(memory.of == &cluster) {
    known_.clear();
    std::swap(known_, blocked_);
  }

  void run(const std::vector<Cluster::Unsettled>& unsettled) {
    auto known = known_.cbegin();
    for (const Item& item : unsettled) {
      if (!item.left.move) continue;
      while (known != known_.cend() && known->move.job < item.id) ++known;
      // With the end of a back-off a move may be made although nothing has changed.
      if (same_ && item.changed_in <= memory_.version && !item.delayed) {
        for (; known != known_.cend() && known->move.job == item.id; ++known) try_again(*known, item);
      } else {
        move_job(item);
      }
    }
    memory_.of = &cluster_;
    memory_.version = cluster_.version();
  }

 private:
  using Item = Cluster::Unsettled;

  // Nothing of the job has changed but for VMs that moved: this one is blocked still, unless something
  // became free where it goes, or it is one of those.
  void try_again(const StillBlocked& known, const Item& item) {
    const BlockedMove& move = known.move;
    const Vm& vm = item.record->vms[move.task];
    if (vm.flight || vm.node != move.from) return;
    if (known.by_charge && !cluster_.freed_since(memory_.version, move.to))
      blocked_.push_back(known);
    else
      try_move(move, *item.record);
  }

  void move_job(const Item& item) {
    const Job& job = *item.job;
    const JobRecord& record = *item.record;
    const ClusterView& view = cluster_.view();
    std::uint32_t task = 0;
    for (const Vm& vm : record.vms) {
      const std::uint32_t at = task++;
      const bool moves = vm.node != vm.wanted && free_to_act(view, vm) && exists(vm) && vm.has_run &&
                         vm.failures < kMigrateAttempts && vm.cap <= job.yield;
      if (!moves || !answer(vm)) continue;
      const Cpu cpu = vm.state == VmState::running ? job.demand.need * vm.cap * vm.units : Cpu{};
      const NodeCharge charge{job.demand.memory * vm.units, cpu};
      try_move({job.id, at, vm.node, vm.wanted, charge}, record);
    }
  }
  [[nodiscard]] bool answer(const Vm& vm) const {
    return all_up_ || (answers(cluster_.view(), vm.node) && answers(cluster_.view(), vm.wanted));
  }

  void try_move(const BlockedMove& move, const JobRecord& record) {
    if (!room_.fits(move.to, move.charge)) {
      blocked_.push_back({move, !room_.fits_but_for_promises(move.to, move.charge)});
      return;
    }
    room_.take(move.to, move.charge);
    emitter_.migrate(record, move.job, move.task);
  }

  const Cluster& cluster_;
  BlockedMoves& memory_;
  FreeRoom& room_;
  Emitter& emitter_;
  const bool same_;
  const bool all_up_ = all_up(cluster_.view());
  std::vector<StillBlocked>& known_ = memory_.before;
  std::vector<StillBlocked>& blocked_ = memory_.blocked;
};

}  // namespace aliquot
