// The live migrations of one diff.
//
// A repacking may want thousands of migrations and takes dozens of steps. So a diff remembers which moves
// were blocked for want of capacity, or because as many VMs are moved as may be at a time, and the next
// diff looks only at those whose target node has been freed, unless the job has changed in another way.
// This saves work and changes no result; test/faults compares it with a diff that remembers nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "manager/core/action_list.hpp"
#include "manager/core/cycles.hpp"

namespace aliquot {

// An action on this VM may be issued now: none is in flight, its state is known, no back-off is running.
[[nodiscard]] inline bool is_free_to_act(const ClusterView& view, const Vm& vm) {
  return !vm.flight && !vm.unclear && vm.not_before <= view.now && vm.state != VmState::ended;
}

// The moves that a diff could not make, for the next one.
struct BlockedMoves {
  struct Blocked {
    BlockedMove move;
    // It would not fit even if nothing were reserved, so it stays blocked until its target node is freed.
    bool by_ledger = false;
  };
  std::vector<Blocked> blocked;   // by job, then by task
  std::vector<Blocked> previous;  // memory that is used again
  const Cluster* of = nullptr;    // blocked in this cluster, at this revision
  std::uint64_t revision = 0;
};

class Migrations {
 public:
  // Afterwards `moves` has what is blocked now.
  Migrations(const Cluster& cluster, BlockedMoves& moves, FreeCapacity& free, ActionList& actions)
      : cluster_(cluster), moves_(moves), free_(free), actions_(actions), same_(moves.of == &cluster) {
    known_.clear();
    std::swap(known_, blocked_);
  }

  void choose(const std::vector<PendingJob>& jobs) {
    if (const std::uint32_t most = cluster_.state().moves.at_a_time; most > 0)
      budget_ = most - std::min(most, under_way(jobs));
    auto known = known_.cbegin();
    for (const PendingJob& job : jobs) {
      if (!job.work.moves) continue;
      while (known != known_.cend() && known->move.job < job.id) ++known;
      // At the end of a back-off a move may become possible although nothing has changed.
      if (same_ && job.changed_in <= moves_.revision && !job.delayed) {
        for (; known != known_.cend() && known->move.job == job.id; ++known) try_again(*known, job);
      } else {
        try_all(job);
      }
    }
    moves_.of = &cluster_;
    moves_.revision = cluster_.ledger().revision();
  }

 private:
  using Blocked = BlockedMoves::Blocked;

  // Not those of which it is not known whether they still are.
  static std::uint32_t under_way(const std::vector<PendingJob>& jobs) {
    std::uint32_t count = 0;
    for (const PendingJob& job : jobs)
      if (job.work.in_flight)
        for (const Vm& vm : job.record->vms)
          if (migrates(vm) && !vm.unclear) ++count;
    return count;
  }

  // Nothing of the job has changed but that VMs migrated, this one perhaps among them.
  void try_again(const Blocked& known, const PendingJob& job) {
    const BlockedMove& move = known.move;
    if (known.by_ledger && !cluster_.ledger().freed_since(moves_.revision, move.to)) {
      blocked_.push_back(known);
      return;
    }
    const Vm& vm = job.record->vms[move.task];
    if (!vm.flight && vm.node == move.from) try_move(move, *job.record);
  }

  void try_all(const PendingJob& pending) {
    const Job& job = *pending.job;
    const JobRecord& record = *pending.record;
    const ClusterView& view = cluster_.view();
    std::uint32_t next = 0;
    for (const Vm& vm : record.vms) {
      const std::uint32_t task = next++;
      const bool moves = vm.node != vm.wanted && is_free_to_act(view, vm) && exists(vm) && vm.has_run &&
                         !is_saved_instead(view, vm) && !vm.rolls_back && vm.cap <= job.yield &&
                         !stays_for_now(vm);
      if (!moves || !both_ends_answer(vm)) continue;
      const Cpu cpu = vm.state == VmState::running ? job.demand.need * vm.cap * vm.units : Cpu{};
      const NodeCharge charge{job.demand.memory * vm.units, cpu};
      const bool only_live = view.nodes[vm.node.raw].keeps_saves;
      try_move({job.id, task, vm.node, vm.wanted, charge, only_live}, record);
    }
  }
  [[nodiscard]] bool both_ends_answer(const Vm& vm) const {
    return all_up_ || (answers(cluster_.view(), vm.node) && answers(cluster_.view(), vm.wanted));
  }

  void try_move(const BlockedMove& move, const JobRecord& record) {
    if (!free_.fits(move.to, move.charge)) {
      blocked_.push_back({move, !free_.fits_unreserved(move.to, move.charge)});
      return;
    }
    if (budget_ == 0) {
      blocked_.push_back({move, false});
      return;
    }
    --budget_;
    free_.reserve(move.to, move.charge);
    actions_.migrate(record, move.job, move.task);
  }

  const Cluster& cluster_;
  BlockedMoves& moves_;
  FreeCapacity& free_;
  ActionList& actions_;
  std::uint32_t budget_ = std::numeric_limits<std::uint32_t>::max();  // VMs that may be moved besides
  const bool same_;  // the moves were blocked in this very cluster
  const bool all_up_ = all_up(cluster_.view());
  std::vector<Blocked>& known_ = moves_.previous;
  std::vector<Blocked>& blocked_ = moves_.blocked;
};

}  // namespace aliquot
