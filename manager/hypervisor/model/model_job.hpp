// The model's virtual machines and jobs: what would be true on real nodes, whatever the manager knows of
// it.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"
#include "manager/hypervisor/model/model_checkpoints.hpp"
#include "manager/hypervisor/model/true_needs.hpp"

namespace aliquot {

// An action on one VM that has begun and has not ended.
struct Begun {
  OpId op;
  ActionKind kind = ActionKind::cap;
  NodeId to;                     // where the VM will be, for create, restore and migrate
  Yield yield;                   // the cap that it will have, for create, restore and cap
  std::uint32_t checkpoint = 0;  // from which it is restored
  bool leaves = false;           // of a destroy: its job goes on without it
  bool warns = false;            // of a notify: a limit of its job is near
  friend bool operator==(const Begun&, const Begun&) = default;
};

// What this action begins for its task number `at`, counted from 0.
[[nodiscard]] inline Begun begun(const Action& action, std::uint32_t at) {
  Begun what{head(action).op, kind(action), {}, {}};
  if (const auto* create = std::get_if<Create>(&action))
    what.to = create->nodes[at], what.yield = create->yield;
  if (const auto* restore = std::get_if<Restore>(&action))
    what.to = restore->nodes[at], what.yield = restore->yield, what.checkpoint = restore->checkpoint;
  if (const auto* migrate = std::get_if<Migrate>(&action)) what.to = migrate->to[at];
  if (const auto* cap = std::get_if<Cap>(&action)) what.yield = cap->yield;
  if (const auto* destroy = std::get_if<Destroy>(&action)) what.leaves = destroy->leaves;
  if (const auto* notify = std::get_if<Notify>(&action)) what.warns = notify->warns;
  return what;
}
[[nodiscard]] constexpr bool arrives(ActionKind kind) {
  return kind == ActionKind::create || kind == ActionKind::restore;
}

struct ModelVm {
  enum class State : std::uint8_t { absent, paused, running, saved, ended };
  State state = State::absent;
  std::uint32_t incarnation = 0;
  NodeId node;  // where it is (paused, running) or was last
  Yield cap;    // in force
  std::optional<Begun> under_way;
  bool resumed = false;          // was restored: its next release costs the rescheduling penalty
  bool lost = false;             // is gone, with its node or by its end; the manager does not know yet
  std::optional<int> exit_code;  // when ended; none: it died
  VirtualTime cpu_before;        // of its job when the VM was created: its counters begin at 0
  VirtualTime time_before;
  std::uint32_t units = 1;  // tasks of its job that it runs
  DeviceSet devices = 0;
  bool joins = false;  // it is to join a job that runs already, and has not run yet

  [[nodiscard]] bool exists() const { return state == State::paused || state == State::running; }
  [[nodiscard]] bool does(ActionKind what) const { return under_way && under_way->kind == what; }
  friend bool operator==(const ModelVm&, const ModelVm&) = default;
};

// They differ in nothing but their nodes. What differs most often is compared first.
[[nodiscard]] inline bool alike(const ModelVm& a, const ModelVm& b) {
  return a.state == b.state && a.cap == b.cap && a.incarnation == b.incarnation &&
         a.under_way == b.under_way && a.resumed == b.resumed && a.lost == b.lost &&
         a.exit_code == b.exit_code && a.cpu_before == b.cpu_before && a.time_before == b.time_before &&
         a.units == b.units && a.devices == b.devices && a.joins == b.joins;
}

struct ModelJob {
  std::shared_ptr<const JobSpec> spec;
  VirtualTime work;   // all of it
  Progress progress;  // the same for all tasks of the job
  Progress running;   // the time during which its tasks ran, whatever their caps
  std::vector<ModelVm> vms;
  bool alike = false;     // known: its VMs differ in nothing but their nodes
  bool late = false;      // its completion is to be computed before time goes on
  Instant ends = kNever;  // when its work will be complete
  Instant moved_until;    // some of its tasks stand still after a migration
  std::uint64_t version = 0;
  std::unique_ptr<ModelCheckpoints> checkpoints;  // null: none was ever begun
  TrueNeeds true_needs{};                         // empty: it needs what its job says
  std::uint32_t step_tasks = 0;  // for so many the program has work, by its profile; 0: for those that run

  // The VMs that this checkpoint is of are all written, if none has failed.
  void finish_checkpoint(OpId op) {
    const auto is_written = [op](const ModelVm& vm) { return !vm.under_way || vm.under_way->op != op; };
    if (checkpoints && std::ranges::all_of(vms, is_written)) checkpoints->finish(op);
  }
  // A VM comes from this checkpoint: so will the others, and none of them runs.
  void go_back(std::uint32_t checkpoint, Instant now) {
    const ModelCheckpoint& then = *checkpoints->find(checkpoint);
    progress = {then.progress, {}, now, now};
    running = {then.running, {}, now, now};
  }
  // A grouped job of which no VM exists may come back with other VMs than before.
  void fit_to_spec() {
    const auto gone = [](const ModelVm& vm) { return !vm.exists() && !vm.under_way; };
    if (!std::ranges::all_of(vms, gone)) return;
    alike = false;
    vms.resize(spec->tasks.size());
    for (std::size_t k = 0; k < vms.size(); ++k) {
      vms[k].units = spec->tasks[k].units;
      vms[k].devices = spec->tasks[k].devices;
    }
  }
  // A job that has grown has more VMs than before; one that starts anew may have fewer. A task of which
  // nothing ever was, or is left, may have left its job.
  void follow_spec() {
    const std::size_t before = vms.size();
    const auto runs = [](const ModelVm& vm) { return vm.state == ModelVm::State::running; };
    const bool has_run = running.accrued.raw > 0 || std::ranges::any_of(vms, runs);
    vms.resize(spec->tasks.size());
    alike = alike && vms.size() == before;
    for (std::size_t k = before; k < vms.size(); ++k) vms[k].joins = has_run;
    for (std::size_t k = 0; k < vms.size(); ++k) {
      if (!spec->tasks[k].ended || vms[k].state != ModelVm::State::absent || vms[k].under_way) continue;
      vms[k].state = ModelVm::State::ended;
      alike = false;
    }
  }
  // A job that has run and of which nothing is left begins again with its first VM.
  void begin_anew_if_lost(Instant now) {
    if (progress.at(now).raw == 0) return;
    const auto left = [](const ModelVm& vm) { return vm.exists() || vm.state == ModelVm::State::saved; };
    if (std::ranges::any_of(vms, left)) return;
    progress = running = {};
    progress.since = running.since = now;
    step_tasks = 0;
  }
  // Compares them only if it is not known. Every change of one VM alone resets `alike`.
  [[nodiscard]] bool are_alike() {
    const auto as_first = [&first = vms.front()](const ModelVm& vm) { return aliquot::alike(vm, first); };
    return alike = alike || std::ranges::all_of(vms, as_first);
  }
  // The VMs that must be looked at to know the state of all.
  [[nodiscard]] std::span<const ModelVm> representatives() const {
    return std::span(vms).first(alike ? 1 : vms.size());
  }
  [[nodiscard]] const Demand& demand() const { return spec->submission->demand; }
  // A job progresses at the lowest cap of its tasks, and only while all of them run but those that have yet
  // to join it. A VM that is being saved does not run. If it has fewer tasks than the step that it is in is
  // for, it progresses by that part.
  [[nodiscard]] Yield rate() const {
    Yield lowest = kFullYield;
    std::uint32_t running_tasks = 0;
    for (const ModelVm& vm : representatives()) {
      if (vm.state == ModelVm::State::ended || vm.joins) continue;
      if (vm.state != ModelVm::State::running || vm.does(ActionKind::save)) return {};
      lowest = std::min(lowest, vm.cap);
      ++running_tasks;
    }
    if (running_tasks == 0) return {};
    if (alike) running_tasks = static_cast<std::uint32_t>(vms.size());
    if (running_tasks >= step_tasks) return lowest;
    return {multiply_divide(lowest.raw, running_tasks, step_tasks)};
  }
  // What its program needs at this moment.
  [[nodiscard]] Cpu needed(Instant now) const {
    return true_needs.empty() ? demand().need : phase_at(true_needs, progress.at(now)).need;
  }
  // By each task, between these virtual times of the job.
  [[nodiscard]] VirtualTime cpu_used(VirtualTime from, VirtualTime to) const {
    if (true_needs.empty()) return {(to - from).raw / kMillion * demand().need.raw};
    return aliquot::cpu_used(true_needs, to) - aliquot::cpu_used(true_needs, from);
  }
  // rate() is by the need that its job says. A program that needs more is slower; one that needs less has
  // all that it needs from a lower share.
  [[nodiscard]] Yield pace(Instant now) const {
    const Yield given = rate();
    if (true_needs.empty() || given.raw == 0) return given;
    return std::clamp(at_other_need(given, demand().need, needed(now)), Yield{1}, kFullYield);
  }
  // The virtual time at which its program ends, or comes to its next phase.
  [[nodiscard]] VirtualTime next_change(Instant now) const {
    return std::min(work, next_phase(true_needs, progress.at(now)).value_or(work));
  }
};

}  // namespace aliquot
