#include "manager/core/vm_transitions.hpp"

#include <algorithm>
#include <utility>

#include "manager/core/checkpoint_transitions.hpp"
#include "manager/core/deferral.hpp"
#include "manager/core/job_transitions.hpp"
#include "manager/core/lost_vms.hpp"
#include "manager/core/moves.hpp"
#include "manager/core/node_transitions.hpp"
#include "manager/core/pause_together.hpp"
#include "manager/core/size_transitions.hpp"
#include "policies/model/hypervisor_kind.hpp"

namespace aliquot {
namespace {

// After so many failures in a row a job is failed, or held; the pauses between attempts grow to a minute.
constexpr std::uint32_t kMaxAttempts = 5;

// If a checkpoint cannot be restored so often, the one before it is used.
constexpr std::uint32_t kCheckpointAttempts = 2;

// A save that fails for the third time fails until an operator mends the storage. The job runs on
// meanwhile, but stops during each attempt, so attempts become rare: up to ten minutes apart.
constexpr std::uint32_t kPatientFrom = 3;

// After such a failure the state of the VM is not known: it is inspected before anything else is done to
// it.
bool leaves_doubt(ErrorKind kind) {
  return kind == ErrorKind::timeout || kind == ErrorKind::unavailable || kind == ErrorKind::not_found ||
         kind == ErrorKind::conflict;
}

// --- one VM, without what follows for its job and its nodes ---

void clear_failures(Vm& vm) {
  vm.flight.reset();
  vm.unclear = vm.missing = false;
  vm.failures = 0;
  vm.not_before = {};
}

// An inspection does not clear earlier failures: they still count, and so does the back-off.
void clear_doubt(Vm& vm) {
  vm.flight.reset();
  vm.unclear = false;
}

// The action in flight has succeeded.
void succeed(Vm& vm) {
  const Flight flight = *vm.flight;
  clear_failures(vm);
  switch (flight.kind) {
    case ActionKind::create:
    case ActionKind::restore:
      vm.state = VmState::ready;
      vm.node = flight.to;
      vm.cap = flight.yield;
      vm.cap_stale = false;
      if (flight.rolls_back) vm.rolls_back = false;
      break;
    case ActionKind::release:
      vm.state = VmState::running;
      vm.has_run = true;
      vm.keeps_place = vm.joins = false;
      break;
    case ActionKind::cap:
      vm.cap = flight.yield;
      vm.cap_stale = false;
      break;
    case ActionKind::suspend:
      vm.state = VmState::ready;
      break;
    case ActionKind::save:
      vm.state = VmState::saved;
      if (!vm.keeps_place) vm.cap = {};
      break;
    case ActionKind::migrate:
      vm.node = flight.to;
      break;
    case ActionKind::destroy:
      vm.state = vm.rolls_back ? VmState::saved : VmState::absent;
      vm.has_run = vm.rolls_back;
      vm.keeps_place = false;
      vm.cap = {};
      break;
    case ActionKind::notify:
      vm.to_warn = false;
      if (vm.leaving == Leaving::asked) vm.leaving = Leaving::told;
      break;
    case ActionKind::abort:
    case ActionKind::checkpoint:
      break;
  }
}

// --- outcomes ---

// What the success of an action, on some or all VMs of a job, means for the job.
void follow_success(ClusterState& state, DerivedJob& known, const Outcome& event, ActionKind kind,
                    bool had_failed) {
  JobRecord& record = *known.record;
  const auto fails = [](const Vm& vm) { return vm.failures > 0; };
  if (had_failed && !record.leaving && record.pause_again <= state.now() &&
      std::none_of(record.vms.begin(), record.vms.end(), fails))
    record.note.clear(), record.failure.reset();  // they told of the failures
  if (kind == ActionKind::release && !record.started) {
    note_start(state, known.id, record);
    if (record.reruns > 0) record.note.clear();  // it told why the job started anew
  }
  if (kind == ActionKind::migrate) {
    known.spec.reset();
    end_move(state, known);
  }
  // After a restart or a migration the guest makes no progress for this long.
  if (event.stall.raw > 0 && known.job) known.job->progress.stall(state.now(), event.stall);
  if (kind == ActionKind::checkpoint) return finish_checkpoint(state, known, event.stall);
  if (state.core.measured) {
    state.core.measured->take(kind, event.took + event.stall);
    state.core.view.costs = state.core.measured->costs();
  }
}

void succeed_all(ClusterState& state, DerivedJob& known, const Outcome& event) {
  const Vm& first = known.record->vms.front();
  if (!first.flight || first.flight->op != event.op) return;
  const ActionKind kind = first.flight->kind;
  const bool had_failed = first.failures > 0;
  known.changed = true;
  edit_all(state, known, [](Vm& vm, std::uint32_t) { succeed(vm); });
  follow_success(state, known, event, kind, had_failed);
}

void succeed_some(ClusterState& state, DerivedJob& known, const Outcome& event) {
  JobRecord& record = *known.record;
  std::optional<ActionKind> kind;  // none: of no VM any more
  bool had_failed = false;
  const std::uint64_t end = std::uint64_t{event.tasks.first} + event.tasks.count;
  const std::uint64_t last = std::min<std::uint64_t>(end, record.vms.size());
  for (std::uint64_t task = event.tasks.first; task < last; ++task) {
    Vm& vm = record.vms[task];
    if (!vm.flight || vm.flight->op != event.op) continue;
    kind = vm.flight->kind;
    had_failed = had_failed || vm.failures > 0;
    if (*kind == ActionKind::migrate && MigrationEdit::is_enough(known, vm)) {
      const MigrationEdit edit(state, known, vm);
      succeed(vm);
      edit.has_ended();
      known.changed = known.changed || vm.node != vm.wanted;
    } else {
      known.changed = true;
      const VmEdit edit(state, known, vm);
      succeed(vm);
    }
  }
  if (kind) follow_success(state, known, event, *kind, had_failed);
}

void fail_action(ClusterState& state, DerivedJob& known, Vm& vm, std::uint32_t task, const Error& error) {
  JobRecord& record = *known.record;
  const ActionKind kind = vm.flight->kind;
  if (kind == ActionKind::checkpoint) {
    // The VM runs on, and whatever else is to be done to it is not delayed.
    fail_checkpoint(state, known.id, task_name(task) + ": " + error.message);
    if (leaves_doubt(error.kind))
      vm.unclear = true;
    else
      vm.flight.reset();
    return;
  }
  if (kind == ActionKind::notify) {
    // It cannot be told: it has its grace all the same.
    vm.to_warn = false;
    if (vm.leaving == Leaving::asked) vm.leaving = Leaving::told;
    if (leaves_doubt(error.kind))
      vm.unclear = true;
    else
      vm.flight.reset();
    return;
  }
  // A cap that failed leaves everything where it was: it is tried again, and no decision is needed. If
  // one were taken, a policy whose yields follow time would change all caps, and some of those would fail
  // too.
  if (kind != ActionKind::cap) state.cause().disturbed = true;
  state.cycles_broken = false;
  record.failure = error.kind;
  const bool goes_back =
      (kind == ActionKind::save || kind == ActionKind::suspend) && fail_pause(state, known);
  if (!goes_back) vm.not_before = state.now() + back_off(kind, ++vm.failures);
  const bool is_clear = !leaves_doubt(error.kind);
  if (goes_back || is_clear)
    record.note = task_name(task) + ": " + std::string(word(kind)) + " failed: " + error.message;
  if (!is_clear) {
    vm.unclear = true;
    return;
  }
  vm.flight.reset();
  // The saved image is still whole: the job is held until an operator has mended the cause, and is not
  // lost.
  if (known.job && kind == ActionKind::restore && vm.failures >= kMaxAttempts) {
    {
      const JobEdit edit(state, *known.job);
      known.job->held = true;
    }
    record.note +=
        " (held after " + std::to_string(kMaxAttempts) + " attempts; `aliquot release` tries again)";
    vm.failures = 0;
    if (is_brought_back(record)) record.pause_again = state.now();
  }
}

void fail_some(ClusterState& state, DerivedJob& known, const Outcome& event) {
  JobRecord& record = *known.record;
  known.changed = true;
  const std::uint64_t end = std::uint64_t{event.tasks.first} + event.tasks.count;
  for (std::uint64_t task = event.tasks.first; task < std::min<std::uint64_t>(end, record.vms.size());
       ++task) {
    Vm& vm = record.vms[task];
    if (!vm.flight || vm.flight->op != event.op) continue;
    const VmEdit edit(state, known, vm);
    fail_action(state, known, vm, static_cast<std::uint32_t>(task), *event.error);
  }
}

// Its restore from a checkpoint has failed too often.
bool has_bad_checkpoint(const Vm& vm) {
  return vm.rolls_back && !vm.flight && !exists(vm) && vm.failures >= kCheckpointAttempts;
}

// Tasks that were to leave, and then the whole job.
void finish_what_is_gone(ClusterState& state, DerivedJob& known) {
  const JobId id = known.id;
  follow_leaving(state, id);
  if (DerivedJob* const left = state.derived.find(id)) finish_if_gone(state, *left);
}

// --- inspections ---

// What was under way when the manager lost sight of it is no checkpoint.
void give_up_checkpoint(ClusterState& state, const DerivedJob& known, const Vm& vm) {
  if (vm.flight && vm.flight->kind == ActionKind::checkpoint)
    fail_checkpoint(state, known.id, "what became of it is not known");
}

// The placement with the VM on its node instead of where the plan in force wants it.
Placement with_vm_on_its_node(const Placement& placement, const Vm& vm) {
  Placement next;
  Share here{vm.node, vm.units};
  for (Share share : placement) {
    if (share.node == vm.wanted) share.units -= vm.units;
    if (share.node == vm.node)
      here.units += share.units;
    else if (share.units > 0)
      next.push_back(share);
  }
  next.insert(std::ranges::upper_bound(next, here), here);
  return next;
}

bool fits_on_its_node(const ClusterView& view, const Job& job, const Vm& vm) {
  const Node& node = view.nodes[vm.node.raw];
  const NodeLoad& load = view.index.load(vm.node);
  return node.usable() && bound_kind(view, job) == node.hypervisor &&
         load.memory + job.demand.memory * vm.units <= node.memory &&
         load.given + job.demand.need * job.yield * vm.units <= node.capacity;
}

// Another program has moved the VM. Where it fits, the plan in force follows it. Elsewhere the plan stays
// as it is, and the VM is moved back unless the policy finds another place.
void follow_foreign_move(ClusterState& state, DerivedJob& known, const Vm& vm) {
  state.cause().disturbed = true;
  const Job* const job = known.job;
  if (!job || job->phase != Phase::running || vm.node == vm.wanted || is_constrained(job->demand)) return;
  if (!fits_on_its_node(state.core.view, *job, vm)) return;
  adopt(state, {known.id, with_vm_on_its_node(job->placement, vm), job->yield});
}

void found_existing(ClusterState& state, DerivedJob& known, Vm& vm, const Inspected& event) {
  JobRecord& record = *known.record;
  give_up_checkpoint(state, known, vm);
  const bool expected = event.node == vm.node || (vm.flight && event.node == vm.flight->to);
  {
    const VmEdit edit(state, known, vm);
    const Yield highest = vm.flight ? std::max(vm.cap, vm.flight->yield) : vm.cap;
    if (vm.flight && vm.flight->rolls_back) vm.rolls_back = false;
    clear_doubt(vm);
    vm.node = event.node;
    vm.cap = highest;
    vm.cap_stale = true;
    vm.state = event.fact == VmFact::running ? VmState::running : VmState::ready;
    if (event.fact == VmFact::running) {
      vm.has_run = true;
      note_start(state, known.id, record);
    }
    if (std::exchange(vm.missing, false)) record.note.clear();
  }
  known.spec.reset();
  if (!expected) follow_foreign_move(state, known, vm);
}

// Another program took the VM away, and every node has said that it does not have it: it may run elsewhere,
// or come back. Its place is kept.
void stays_missing(const ClusterState& state, DerivedJob& known, const Vm& vm, std::uint32_t task) {
  const std::vector<Node>& nodes = state.core.view.nodes;
  known.record->note =
      task_name(task) + ": another program took its VM from " +
      (vm.node.raw < nodes.size() ? "node " + nodes[vm.node.raw].name : std::string("its node")) +
      ", and it is on none of the configured nodes: bring it back, configure the node that it is on, or "
      "cancel the job";
}

// Is an image in shared storage what the VM was last? It stays there when the VM is restored, so it may be
// older: a VM that has run since is not continued from it.
bool is_image_current(const Vm& vm) {
  const auto does = [&](ActionKind kind) { return vm.flight && vm.flight->kind == kind; };
  if (vm.state == VmState::saved || does(ActionKind::save)) return true;
  return vm.state == VmState::ready && !vm.keeps_place && !does(ActionKind::release);
}

std::string why_lost(const ClusterState& state, const Vm& vm) {
  const Node& node = state.core.view.nodes[vm.node.raw];
  if (node.state == NodeState::fenced) return "node " + node.name + " was confirmed down";
  return "its VM disappeared while its node did not answer or the manager was down";
}

void found_gone(ClusterState& state, DerivedJob& known, Vm& vm, const Inspected& event) {
  give_up_checkpoint(state, known, vm);
  const bool destroying = known.record->leaving || (vm.flight && vm.flight->kind == ActionKind::destroy);
  if (vm.missing && !destroying) return stays_missing(state, known, vm, event.task);
  if (vm.rolls_back && !known.record->leaving) {
    const VmEdit edit(state, known, vm);
    clear_doubt(vm);
    vm.missing = false;
    vm.state = VmState::saved;
    vm.cap = {};
    return;
  }
  const bool saved = event.fact == VmFact::saved && (is_image_current(vm) || destroying);
  if (saved || destroying || !vm.has_run) {
    {
      const VmEdit edit(state, known, vm);
      clear_doubt(vm);
      vm.missing = false;
      vm.state = saved ? VmState::saved : VmState::absent;
      vm.keeps_place = vm.keeps_place && saved;
      if (!vm.keeps_place) vm.cap = {};
    }
    return finish_if_gone(state, known);
  }
  lose_vm(state, known, event.task, why_lost(state, vm));
}

void take_in(ClusterState& state, DerivedJob& known, const Inspected& event) {
  Vm& vm = known.record->vms[event.task];
  const std::vector<Node>& nodes = state.core.view.nodes;
  switch (event.fact) {
    case VmFact::running:
    case VmFact::paused:  // an answer from a node that is off by now is too late
      if (event.node.raw < nodes.size() && nodes[event.node.raw].state != NodeState::fenced)
        found_existing(state, known, vm, event);
      return;
    case VmFact::ended:
      return on(
          state,
          TaskEnded{event.job, {event.task, 1}, event.incarnation, event.exit_code, {}, event.oom_kills});
    case VmFact::saved:
    case VmFact::absent:
      return found_gone(state, known, vm, event);
    case VmFact::unknown:
      return;
  }
}

// --- issued actions ---

// What an action says of the VMs that it is for.
struct Target {
  const TaskNodes* to = nullptr;  // where they will be; null: where they are
  Yield yield;                    // the cap that they will have
  bool rolls_back = false;        // they come from a checkpoint
};

Target target_of(const Action& action) {
  Target target;
  if (const auto* create = std::get_if<Create>(&action)) target = {&create->nodes, create->yield};
  if (const auto* restore = std::get_if<Restore>(&action))
    target = {&restore->nodes, restore->yield, restore->checkpoint > 0};
  if (const auto* migrate = std::get_if<Migrate>(&action)) target.to = &migrate->to;
  if (const auto* cap = std::get_if<Cap>(&action)) target.yield = cap->yield;
  return target;
}

}  // namespace

Duration back_off(ActionKind kind, std::uint32_t failures) {
  if (kind == ActionKind::save && failures >= kPatientFrom)
    return seconds(std::min<std::int64_t>(600, std::int64_t{60} << std::min(failures - kPatientFrom, 4U)));
  return seconds(std::min<std::int64_t>(60, std::int64_t{1} << std::min(failures, 6U)));
}

void mark_ended(Vm& vm, std::optional<int> exit_code) {
  vm.state = VmState::ended;
  vm.exit_code = exit_code;
  vm.rolls_back = vm.keeps_place = false;
  clear_failures(vm);
}

void on(ClusterState& state, const Outcome& event) {
  DerivedJob* const known = state.derived.find(event.job);
  if (!known) return;
  JobRecord& record = *known->record;
  const bool of_all = covers_all(event.tasks, record);
  state.derived.touch_counted(*known, !event.error && of_all);
  if (!event.error) {
    known->uniform&& of_all ? succeed_all(state, *known, event) : succeed_some(state, *known, event);
    follow_pause(state, *known);
    return finish_what_is_gone(state, *known);
  }
  fail_some(state, *known, event);
  follow_pause(state, *known);
  if (known->job && std::ranges::any_of(record.vms, has_bad_checkpoint)) roll_back_further(state, *known);
  if (known->job && event.stall.raw > 0) known->job->progress.stall(state.now(), event.stall);
  const auto out_of_attempts = [](const Vm& vm) {
    return vm.failures >= kMaxAttempts && vm.state == VmState::absent;
  };
  if (!leaves_doubt(event.error->kind) && !record.leaving &&
      std::any_of(record.vms.begin(), record.vms.end(), out_of_attempts))
    leave(state, *known, JobResult::failed, record.note);
  else
    finish_what_is_gone(state, *known);
}

void on(ClusterState& state, const Inspected& event) {
  DerivedJob* const known = state.derived.find(event.job);
  if (!known || event.task >= known->record->vms.size()) return;
  const Vm& vm = known->record->vms[event.task];
  if (!vm.unclear || vm.incarnation != event.incarnation || event.fact == VmFact::unknown) return;
  state.derived.touch(*known);
  take_in(state, *known, event);
  DerivedJob* const left = state.derived.find(event.job);
  if (!left) return;
  leave_fenced_nodes(state, *left);
  follow_pause(state, *left);
  follow_leaving(state, event.job);
}

// Another program than the manager has done something to a VM. What became of it is what the next
// inspection says.
void on(ClusterState& state, const ForeignMove& event) {
  DerivedJob* const known = state.derived.find(event.job);
  if (!known || event.task >= known->record->vms.size()) return;
  Vm& vm = known->record->vms[event.task];
  state.derived.touch(*known);
  if (event.act == ForeignAct::cap_changed) {
    vm.cap_stale = vm.cap_stale || (exists(vm) && !vm.flight);
    return;
  }
  const bool taken = event.act == ForeignAct::moved_away || event.act == ForeignAct::saved;
  vm.missing = vm.missing || (taken && exists(vm) && vm.node == event.node);
  vm.unclear = vm.unclear || needs_inspection(vm);
}

void issue(ClusterState& state, const Action& action) {
  const ActionHead& what = head(action);
  state.core.next_op.raw = std::max(state.core.next_op.raw, what.op.raw + 1);
  const ActionKind how = kind(action);
  if (how == ActionKind::abort) return;
  const Target target = target_of(action);
  const bool arrives = how == ActionKind::create || how == ActionKind::restore;
  DerivedJob& known = *state.derived.find(what.job);
  JobRecord& record = *known.record;
  state.derived.touch_counted(known, what.tasks.count == record.vms.size());
  if (const auto* checkpoint = std::get_if<Checkpoint>(&action))
    begin_checkpoint(state, what.job, checkpoint->number);
  if (how == ActionKind::create) drop_checkpoints(state, what.job);
  if (how == ActionKind::migrate) begin_move(state, known);
  const auto begin = [&](Vm& vm, std::uint32_t task) {
    const NodeId to = target.to ? (*target.to)[task - what.tasks.first] : NodeId{};
    if (how == ActionKind::checkpoint && vm.state == VmState::ended) return;
    vm.flight.emplace(Flight{what.op, how, to, target.yield, state.now(), target.rolls_back});
    if (arrives) vm.node = to;
    if (how == ActionKind::create) ++vm.incarnation;
    if (how == ActionKind::suspend) vm.keeps_place = true;
    if (how == ActionKind::notify && vm.leaving != Leaving::no)
      vm.leave_by = state.now() + record.submission->grace;
  };
  if (known.uniform && how != ActionKind::migrate) {
    known.changed = true;
    const bool stay = !target.to && exists(record.vms.front());
    edit_all(state, known, begin);
    known.uniform = stay || std::ranges::all_of(record.vms, is_in_place);
  } else {
    for (std::uint32_t task = what.tasks.first; task < what.tasks.first + what.tasks.count; ++task) {
      Vm& vm = record.vms[task];
      if (how == ActionKind::migrate && !vm.flight && MigrationEdit::is_enough(known, vm)) {
        const MigrationEdit edit(state, known, vm);
        begin(vm, task);
        edit.has_begun();
        known.uniform = false;
        continue;
      }
      known.changed = true;
      const VmEdit edit(state, known, vm);
      begin(vm, task);
      known.uniform = known.uniform && is_in_place(vm);
    }
  }
  if (arrives) known.spec.reset();
}

}  // namespace aliquot
