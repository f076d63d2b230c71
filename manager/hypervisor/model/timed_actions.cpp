#include "manager/hypervisor/model/timed_actions.hpp"

#include <algorithm>

namespace aliquot::model {
namespace {

// What a number is drawn for.
enum Purpose : std::uint64_t { failure, loss, done_though_lost, delay, crash, crash_time, late };

}  // namespace

bool TimedActions::touches_unreachable(const Begun& what, const ModelVm& vm) const {
  const Outages& outages = state_.outages;
  if (arrives(what.kind)) return !outages.is_reachable(what.to);
  if (what.kind == ActionKind::migrate && !outages.is_reachable(what.to)) return true;
  return vm.exists() && !outages.is_reachable(vm.node);
}

Fate TimedActions::draw_fate(const Begun& begun, const ModelVm& vm, Memory memory,
                             std::uint32_t task) const {
  const ModelOptions& options = state_.options;
  const Chance& chance = state_.chance;
  const auto what = static_cast<std::size_t>(begun.kind);
  const std::uint64_t op = begun.op.raw;
  Fate fate;
  fate.took = options.time_of(begun.kind, memory);
  if (fate.took.raw > 0) fate.took.raw += chance.up_to(options.jitter.raw, op, task, delay);
  if (touches_unreachable(begun, vm))
    return {Error{ErrorKind::timeout, "the node does not answer"}, false, options.deadline};
  if (chance.happens(options.fail[what], op, task, failure)) {
    fate.error = Error{ErrorKind::refused, "a fault that was injected"};
    fate.done = false;
  } else if (chance.happens(options.lost, op, task, loss)) {
    fate.error = Error{ErrorKind::timeout, "the outcome was lost"};
    fate.done = chance.draw(op, task, done_though_lost) % 2 == 0;
    fate.took = std::max(fate.took, options.deadline);
  }
  return fate;
}

void TimedActions::begin(ModelJob& job, const Action& action) {
  const ActionHead& what = head(action);
  const bool together = ConformanceChecker::all_ready(action, job);
  // Neighbouring tasks with the same fate share one entry of the agenda.
  std::optional<ActionEnd> shared;
  for (auto task = what.tasks.first; task < what.tasks.first + what.tasks.count; ++task) {
    if (skips(action, job.vms[task])) {
      state_.report(what.op, what.job, task, {{}, true, {}}, {});
      continue;
    }
    if (const std::string why = state_.checker.objection(action, job, task, together); !why.empty()) {
      if (kind(action) == ActionKind::checkpoint) job.checkpoints->fail(what.op);
      state_.refuse(job, task, action, why);
      continue;
    }
    const Memory memory = job.demand().memory * job.vms[task].units;
    const Fate fate = draw_fate(begun(action, task - what.tasks.first), job.vms[task], memory, task);
    begin_one(job, task, action);
    if (shared && shared->fate == fate && shared->tasks.first + shared->tasks.count == task) {
      ++shared->tasks.count;
      continue;
    }
    if (shared) state_.agenda.enter(state_.now + shared->fate.took, *shared);
    shared = ActionEnd{what.op, what.job, {task, 1}, fate};
  }
  if (!shared) return;
  // A job that is being saved makes no progress.
  if (kind(action) == ActionKind::save) state_.completions.update(what.job, job, state_.now);
  if (shared->fate.took.raw == 0)
    end(*shared);
  else
    state_.agenda.enter(state_.now + shared->fate.took, *shared);
}

void TimedActions::begin_one(ModelJob& job, std::uint32_t task, const Action& action) {
  ModelVm& vm = job.vms[task];
  state_.edit(job, vm, [&] { vm.under_way = begun(action, task - head(action).tasks.first); });
  const ActionKind what = kind(action);
  if (what == ActionKind::save || what == ActionKind::destroy || what == ActionKind::suspend) return;
  state_.checker.check_capacity(action, task, vm);
}

Fate TimedActions::fate_now(const ActionEnd& end, const ModelVm& vm) const {
  const Begun& what = *vm.under_way;
  const Error silence{ErrorKind::timeout, "the node does not answer"};
  // Its node died meanwhile, and with it the answer: it is not known that the action failed.
  const bool lost = !arrives(what.kind) && what.kind != ActionKind::destroy && !vm.exists();
  if (lost) return {silence, false, end.fate.took};
  if (!end.fate.done || !touches_unreachable(what, vm)) return end.fate;
  const bool goes = arrives(what.kind) || what.kind == ActionKind::migrate;
  return {silence, !state_.outages.is_dead(goes ? what.to : vm.node), end.fate.took};
}

void TimedActions::end(const ActionEnd& end) {
  const auto found = state_.jobs.find(end.job);
  if (found == state_.jobs.end()) return;
  ModelJob& job = found->second;
  bool changes_rate = false;
  for (auto task = end.tasks.first; task < end.tasks.first + end.tasks.count; ++task) {
    if (task >= job.vms.size()) break;  // a grouped job that has been placed anew since
    ModelVm& vm = job.vms[task];
    // The VM may have ended, or the action been aborted, in the meantime.
    if (!vm.under_way || vm.under_way->op != end.op) continue;
    const Begun what = *vm.under_way;
    const Fate fate = fate_now(end, vm);
    Duration restart = fate.done ? state_.stall_of(what.kind, job, vm) : Duration{};
    // It stands still as long as it is written.
    if (what.kind == ActionKind::checkpoint && fate.done) restart = fate.took;
    if (what.kind == ActionKind::checkpoint && !fate.done) job.checkpoints->fail(end.op);
    if (what.checkpoint > 0 && fate.done) job.go_back(what.checkpoint, state_.now);
    state_.edit(job, vm, [&] {
      vm.under_way.reset();
      if (fate.done) state_.take_effect(job, vm, what);
    });
    if (restart.raw > 0) state_.stall(job, what.kind, restart);
    if (fate.done && what.kind == ActionKind::release) draw_crash(job, task, end.op);
    if (fate.done && what.kind == ActionKind::notify) state_.notify(job, task, what.warns);
    state_.report(end.op, end.job, task, fate, fate.error ? Duration{} : restart);
    if (fate.done && fate.error && state_.chance.happens(state_.options.late, end.op.raw, task, late))
      state_.report_late(Outcome{end.op, end.job, {task, 1}, {}, fate.took, restart});
    changes_rate = changes_rate || what.kind != ActionKind::create;
  }
  job.finish_checkpoint(end.op);
  // A VM that has been created is paused: nothing of the job runs yet.
  if (changes_rate || job.progress.rate.raw > 0) state_.completions.update(end.job, job, state_.now);
}

void TimedActions::abort(const Abort& abort) {
  const auto found = state_.jobs.find(abort.job);
  if (found == state_.jobs.end()) return;
  const Fate aborted{Error{ErrorKind::refused, "aborted"}, false, {}};
  for (auto task = abort.tasks.first; task < abort.tasks.first + abort.tasks.count; ++task) {
    if (task >= found->second.vms.size()) break;
    const ModelVm& vm = found->second.vms[task];
    if (vm.under_way && vm.under_way->op == abort.target)
      end({abort.target, abort.job, {task, 1}, aborted});
  }
}

void TimedActions::draw_crash(const ModelJob& job, std::uint32_t task, OpId op) {
  if (!state_.chance.happens(state_.options.crash, op.raw, task, crash)) return;
  const std::int64_t within = std::get<ModelWork>(job.spec->submission->program).alone.raw * 2;
  const Duration later{1 + state_.chance.up_to(within, op.raw, task, crash_time)};
  state_.agenda.enter(state_.now + later, Crash{job.spec->job, task, job.vms[task].incarnation});
}

}  // namespace aliquot::model
