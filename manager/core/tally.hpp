// What the VMs of one job come to, counted: how many are under way, are to be moved, stand still. Kept from
// change to change, so that a task that has moved costs a look at it and none at the job's other tasks.
//
// Everything that follows for a job from its VMs is read from here: what may be left to do for it
// (chores.hpp says the same by looking at all of them), whether it is settled, how fast it goes.
#pragma once

#include <array>
#include <bit>
#include <optional>
#include <span>

#include "manager/core/chores.hpp"
#include "manager/core/settled.hpp"

namespace aliquot {

enum class Trait : std::uint8_t {
  under_way,  // an action is
  unclear,
  delayed,    // waits before something is tried again
  unsettled,  // see settled.hpp
  still,      // does not run, or is about to be saved; what has ended is not counted
  moves,      // these four: see chores()
  frees,
  brings,
  finishes,
};

// As bits.
[[nodiscard]] constexpr std::uint32_t bit(Trait trait, bool has) {
  return static_cast<std::uint32_t>(has) << static_cast<unsigned>(trait);
}

// `job` is the job as the plan has it; null: it is leaving.
[[nodiscard]] inline std::uint32_t traits(const Job* job, const Vm& vm) {
  const bool ended = vm.state == VmState::ended;
  const bool running = vm.state == VmState::running;
  const bool saving = vm.flight && vm.flight->kind == ActionKind::save;
  const std::uint32_t any = bit(Trait::under_way, vm.flight.has_value()) | bit(Trait::unclear, vm.unclear) |
                            bit(Trait::delayed, vm.not_before > Instant{}) |
                            bit(Trait::unsettled, !settled(job, vm)) |
                            bit(Trait::still, !ended && (!running || saving));
  if (!job || job->phase != Phase::running)
    return any | bit(Trait::frees, vm.state != VmState::absent || vm.flight);
  if (ended) return any;
  const bool there = exists(vm);
  const bool ready = vm.state == VmState::ready;
  const bool moves = there && vm.node != vm.wanted;
  const bool save_instead = moves && (!vm.has_run || vm.failures >= kMigrateAttempts);
  const bool capped = vm.cap == job->yield && !vm.cap_stale;
  return any | bit(Trait::moves, moves) |
         bit(Trait::frees, save_instead || (there && job->yield < vm.cap)) |
         bit(Trait::brings, !there || (ready && !capped)) |
         bit(Trait::finishes, ready || vm.cap < job->yield || vm.cap_stale);
}

class VmTally {
 public:
  // From the beginning.
  void count(const Job* job, std::span<const Vm> vms) {
    counts_ = {};
    std::uint32_t some = 0;
    for (const Vm& vm : vms) {
      const std::uint32_t its = traits(job, vm);
      add(its);
      some |= its;
    }
    some_ = some;
    lowest_ = lowest_cap(vms);
  }
  // The same where one VM tells of all, of which then nothing is counted: no change() can follow.
  void read(const Job* job, const Vm& any) {
    some_ = traits(job, any);
    lowest_ = lowest_cap({&any, 1});
  }

  // One VM's traits have changed.
  void change(std::uint32_t before, std::uint32_t after) {
    for (std::uint32_t lost = before & ~after; lost != 0; lost &= lost - 1)
      if (--counts_[lowest_bit(lost)] == 0) some_ &= ~(lost & -lost);
    add(after & ~before);
    some_ |= after;
  }
  [[nodiscard]] bool any(Trait trait) const { return (some_ & bit(trait, true)) != 0; }
  // The traits that some VM has: whoever knew what follows from the same ones knows it.
  [[nodiscard]] std::uint32_t some() const { return some_; }

  // One VM's cap has changed, or it has ended.
  void forget_lowest() { lowest_.reset(); }

  // The lowest acknowledged yield of its tasks; nothing while one of them does not run. What is to be
  // paused goes on until its save begins.
  [[nodiscard]] Yield rate(std::span<const Vm> vms) {
    if (any(Trait::still)) return {};
    if (!lowest_) lowest_ = lowest_cap(vms);
    return *lowest_;
  }
  [[nodiscard]] Chores chores() const {
    const bool flight = any(Trait::under_way);
    const bool move = any(Trait::moves);
    // A job is released, and its caps are raised, once all of it stands where it is wanted.
    const bool grow = any(Trait::brings) || (any(Trait::finishes) && !move && !flight);
    return {flight, any(Trait::frees), move, grow};
  }

 private:
  void add(std::uint32_t won) {
    for (; won != 0; won &= won - 1) ++counts_[lowest_bit(won)];
  }
  static Yield lowest_cap(std::span<const Vm> vms) {
    Yield lowest = kFullYield;
    for (const Vm& vm : vms)
      if (vm.state != VmState::ended) lowest = std::min(lowest, vm.cap);
    return lowest;
  }
  static std::size_t lowest_bit(std::uint32_t bits) {
    return static_cast<std::size_t>(std::countr_zero(bits));
  }

  std::array<std::uint32_t, 9> counts_{};  // by Trait
  std::uint32_t some_ = 0;                 // bits: which of them are not zero
  std::optional<Yield> lowest_;  // of the caps of those that have not ended; none: to be looked up
};

}  // namespace aliquot
