// What is left to do for a job until its VMs are where, and as, the plan in force wants them. diff() asks
// for it in every step, and passes by the jobs for which it can do nothing now.
//
// It rather says too much than too little: neither back-offs nor nodes that do not answer are looked at.
#pragma once

#include <array>
#include <bit>
#include <optional>
#include <span>

#include "manager/core/uniform.hpp"

namespace aliquot {

// A live migration that fails this often is replaced by save and restore, unless the node keeps what it
// saves.
inline constexpr std::uint32_t kMigrateAttempts = 3;

// Whether a VM that is to move is saved and restored instead of migrated: an image that its node keeps
// could not be read on the other.
[[nodiscard]] inline bool is_saved_instead(const ClusterView& view, const Vm& vm) {
  return vm.failures >= kMigrateAttempts && !view.nodes[vm.node.raw].keeps_saves;
}

// Its guest is told as soon as it runs.
[[nodiscard]] inline bool is_to_be_warned(const Vm& vm) {
  return vm.to_warn && vm.state == VmState::running;
}

// Its task is to leave its job, and will in a moment: it is not worth a move. Or it is told something
// first.
[[nodiscard]] inline bool stays_for_now(const Vm& vm) {
  return (vm.leaving != Leaving::no && vm.state == VmState::running) || is_to_be_warned(vm);
}

// Its task was to leave its job, and nothing is left of the VM.
[[nodiscard]] inline bool has_gone(const Vm& vm) {
  return vm.leaving != Leaving::no && vm.state == VmState::absent && !vm.flight && !vm.unclear;
}

struct PendingWork {
  bool in_flight = false;  // an action is under way
  bool frees = false;      // something is to be destroyed, saved or aborted, or a
                           // cap to be lowered
  bool moves = false;      // a VM is to be migrated
  bool grows = false;      // something is to be created, restored or released, or a
                           // cap to be raised
  friend bool operator==(const PendingWork&, const PendingWork&) = default;
};

// In these functions `job` is the job as the plan in force has it. It is null if the job is leaving: then
// all its VMs are to be destroyed.

// The VM needs no action.
[[nodiscard]] inline bool has_converged(const Job* job, const Vm& vm) {
  if (vm.flight || vm.unclear) return false;
  if (vm.state == VmState::ended) return true;
  if (!job) return vm.state == VmState::absent;
  if (vm.leaving != Leaving::no || is_to_be_warned(vm)) return false;
  if (vm.rolls_back && exists(vm)) return false;
  if (job->phase != Phase::running) return vm.state == VmState::absent || vm.state == VmState::saved;
  return vm.state == VmState::running && vm.node == vm.wanted && vm.cap == job->yield && !vm.cap_stale;
}

// What one VM contributes to the state of its job.
enum class Trait : std::uint8_t {
  in_flight,  // an action on it is under way
  unclear,
  delayed,   // a failed action on it is not tried again before a certain instant
  pending,   // it has not converged
  stopped,   // it does not run, is about to be saved, or is missing; VMs that
             // have ended, or have yet to join, are not counted
  moves,     // it exists on another node than the plan wants
  frees,     // see PendingWork; its task is to leave, or to be warned
  starts,    // it is to be created or restored, or it is paused and its cap is not
             // set yet
  finishes,  // it is to be released, or its cap to be raised
  gone       // see has_gone
};
inline constexpr std::size_t kTraits = 10;

// A set of traits: bit n is the trait of number n.
using Traits = std::uint32_t;
[[nodiscard]] constexpr Traits bit(Trait trait, bool has = true) {
  return static_cast<Traits>(has) << static_cast<unsigned>(trait);
}

[[nodiscard]] inline Traits traits(const Job* job, const Vm& vm) {
  const bool ended = vm.state == VmState::ended;
  const bool running = vm.state == VmState::running;
  const bool saving = vm.flight && vm.flight->kind == ActionKind::save;
  const Traits any =
      bit(Trait::in_flight, vm.flight.has_value()) | bit(Trait::unclear, vm.unclear) |
      bit(Trait::delayed, vm.not_before > Instant{}) | bit(Trait::pending, !has_converged(job, vm)) |
      bit(Trait::gone, has_gone(vm)) |
      bit(Trait::frees, job && !ended && (vm.leaving != Leaving::no || is_to_be_warned(vm))) |
      bit(Trait::stopped, !ended && !vm.joins && (!running || saving || vm.missing));
  if (!job || job->phase != Phase::running)
    return any | bit(Trait::frees, vm.state != VmState::absent || vm.flight);
  if (ended) return any;
  const bool there = exists(vm);
  const bool ready = vm.state == VmState::ready;
  const bool moves = there && vm.node != vm.wanted;
  const bool save_instead = moves && (!vm.has_run || vm.failures >= kMigrateAttempts);
  const bool capped = vm.cap == job->yield && !vm.cap_stale;
  return any | bit(Trait::moves, moves) |
         bit(Trait::frees, save_instead || (there && (job->yield < vm.cap || vm.rolls_back))) |
         bit(Trait::starts, !there || (ready && !capped)) |
         bit(Trait::finishes, ready || vm.cap < job->yield || vm.cap_stale);
}

// How many VMs of one job have each trait. When a VM changes, only its traits before and after are
// compared, so that one task that has moved costs nothing at the other tasks of its job.
class VmCounters {
 public:
  // Counts all VMs.
  void count(const Job* job, std::span<const Vm> vms) {
    counts_ = {};
    present_ = 0;
    for (const Vm& vm : vms) {
      const Traits its = traits(job, vm);
      add(its);
      present_ |= its;
    }
    lowest_ = lowest_cap(vms);
  }
  // Of a uniform job one VM is enough. Nothing is counted, so no change() may follow.
  void take_from(const Job* job, const Vm& any_of_them) {
    present_ = traits(job, any_of_them);
    lowest_ = lowest_cap({&any_of_them, 1});
  }

  // The traits of one VM have changed.
  void change(Traits before, Traits after) {
    for (Traits lost = before & ~after; lost != 0; lost &= lost - 1)
      if (--counts_[lowest_bit(lost)] == 0) present_ &= ~(lost & -lost);
    add(after & ~before);
    present_ |= after;
  }
  // The cap of one VM has changed, or it has joined its job, or ended.
  void forget_lowest_cap() { lowest_.reset(); }

  [[nodiscard]] bool any(Trait trait) const { return (present_ & bit(trait)) != 0; }
  // The traits that at least one VM has.
  [[nodiscard]] Traits present() const { return present_; }

  // The speed at which the job progresses: the lowest acknowledged cap of its tasks; nothing while one of
  // them does not run. A job that is to be paused progresses until its save begins.
  [[nodiscard]] Yield rate(std::span<const Vm> vms) {
    if (any(Trait::stopped)) return {};
    if (!lowest_) lowest_ = lowest_cap(vms);
    return *lowest_;
  }
  [[nodiscard]] PendingWork pending_work() const {
    const bool in_flight = any(Trait::in_flight);
    const bool moves = any(Trait::moves);
    // A job is released, and its caps are raised, once all its VMs are in place.
    const bool grows = any(Trait::starts) || (any(Trait::finishes) && !moves && !in_flight);
    return {in_flight, any(Trait::frees), moves, grows};
  }

 private:
  void add(Traits won) {
    for (; won != 0; won &= won - 1) ++counts_[lowest_bit(won)];
  }
  static Yield lowest_cap(std::span<const Vm> vms) {
    Yield lowest = kFullYield;
    bool any_joins = false, any_other = false;
    for (const Vm& vm : vms) {
      if (vm.state == VmState::ended) continue;
      (vm.joins ? any_joins : any_other) = true;
      if (!vm.joins) lowest = std::min(lowest, vm.cap);
    }
    return any_joins && !any_other ? Yield{} : lowest;
  }
  static std::size_t lowest_bit(Traits bits) { return static_cast<std::size_t>(std::countr_zero(bits)); }

  std::array<std::uint32_t, kTraits> counts_{};  // by Trait
  Traits present_ = 0;                           // the traits whose count is not zero
  std::optional<Yield> lowest_;                  // cap of those that have not ended and do not
                                                 // only join; none: not known
};

}  // namespace aliquot
