#include "manager/hypervisor/model/immediate_actions.hpp"

#include <algorithm>
#include <utility>

namespace aliquot::model {

using State = ModelVm::State;

void ImmediateActions::perform(ModelJob& job, const Action& action) {
  const ActionHead& what = head(action);
  const ActionKind how = kind(action);
  // Neighbouring tasks with the same outcome share one event.
  Outcome shared{what.op, what.job, {what.tasks.first, 0}, {}, {}, {}};
  const auto report = [&](std::uint32_t next) {
    if (shared.tasks.count > 0) state_.ready.emplace_back(shared);
    shared.tasks = {next, 0};
  };
  const auto* migrate = std::get_if<Migrate>(&action);
  const bool all = can_perform_all(job, action);
  if (all || (migrate && can_move(job, *migrate))) {
    shared.stall = state_.stall_of(how, job, job.vms.front(), what.tasks.count);
    shared.tasks = what.tasks;
    all ? perform_all(job, action) : move(job, *migrate, action);
    if (shared.stall.raw > 0) state_.stall(job, how, shared.stall);
  } else {
    const bool together = ConformanceChecker::all_ready(action, job);
    for (auto task = what.tasks.first; task < what.tasks.first + what.tasks.count; ++task) {
      if (skips(action, job.vms[task])) {
        ++shared.tasks.count;
        continue;
      }
      if (const std::string why = state_.checker.objection(action, job, task, together); !why.empty()) {
        report(task + 1);
        if (how == ActionKind::checkpoint) job.checkpoints->fail(what.op);
        state_.refuse(job, task, action, why);
        continue;
      }
      const Duration restart = state_.stall_of(how, job, job.vms[task]);
      perform_one(job, task, action);
      if (restart.raw > 0) state_.stall(job, how, restart);
      if (restart != shared.stall) report(task);
      shared.stall = restart;
      ++shared.tasks.count;
    }
  }
  report(0);
  job.finish_checkpoint(what.op);
  if (const auto* restore = std::get_if<Restore>(&action); restore && restore->checkpoint > 0)
    if (job.checkpoints && job.checkpoints->find(restore->checkpoint))
      job.go_back(restore->checkpoint, state_.now);
  if (how != ActionKind::create || job.progress.rate.raw > 0)
    state_.completions.update_later(what.job, job, state_.now);
}

void ImmediateActions::perform_one(ModelJob& job, std::uint32_t task, const Action& action) {
  ModelVm& vm = job.vms[task];
  const Begun what = begun(action, task - head(action).tasks.first);
  state_.edit(job, vm, [&] { state_.take_effect(job, vm, what); });
  if (what.kind == ActionKind::notify) state_.notify(job, task, what.warns);
  if (vm.exists()) state_.checker.check_capacity(action, task, vm);
}

bool ImmediateActions::can_move(const ModelJob& job, const Migrate& migrate) const {
  for (std::uint32_t at = 0; at < migrate.tasks.count; ++at) {
    const ModelVm& vm = job.vms[migrate.tasks.first + at];
    if (!state_.checker.can_move(vm, migrate.from[at], migrate.to[at])) return false;
  }
  return true;
}

// Both ends of a move are held for a moment.
void ImmediateActions::move(ModelJob& job, const Migrate& migrate, const Action& action) {
  job.alike = false;
  for (std::uint32_t at = 0; at < migrate.tasks.count; ++at) {
    const std::uint32_t task = migrate.tasks.first + at;
    ModelVm& vm = job.vms[task];
    const ConformanceChecker::Used held = ConformanceChecker::held(job, vm);
    const NodeId from = std::exchange(vm.node, migrate.to[at]);
    state_.checker.add(vm.node, held);
    state_.checker.check_capacity(action, task, vm);
    state_.checker.remove(from, held);
  }
}

bool ImmediateActions::can_perform_all(ModelJob& job, const Action& action) const {
  const ActionKind what = kind(action);
  const bool all = head(action).tasks.count == job.vms.size() && what != ActionKind::migrate &&
                   what != ActionKind::notify;
  return all && job.vms.front().devices == 0 && job.are_alike() && state_.checker.allows_all(action, job);
}

void ImmediateActions::perform_all(ModelJob& job, const Action& action) {
  ModelVm& first = job.vms.front();
  const ConformanceChecker::Used before = ConformanceChecker::held(job, first);
  state_.take_effect(job, first, begun(action, 0));
  const ConformanceChecker::Used more = ConformanceChecker::held(job, first) - before;
  const bool places = arrives(kind(action));
  std::uint32_t task = 0;
  for (ModelVm& vm : job.vms) {
    if (places && task > 0) {
      vm = first;
      vm.node = begun(action, task).to;
    } else {  // an action that leaves the VM on its node changes nothing else
      vm.state = first.state;
      vm.cap = first.cap;
      vm.resumed = first.resumed;
    }
    state_.checker.add(vm.node, more);
    if (vm.exists()) state_.checker.check_capacity(action, task, vm);
    ++task;
  }
}

bool ImmediateActions::end_all(ModelJob& job, int exit_code) {
  const ModelVm& first = job.vms.front();
  if (first.state != State::running || first.devices != 0 || !job.are_alike()) return false;
  const ConformanceChecker::Used held = ConformanceChecker::held(job, first);
  for (ModelVm& vm : job.vms) {
    state_.checker.remove(vm.node, held);
    vm.state = State::ended;
    vm.exit_code = exit_code;
  }
  const auto count = static_cast<std::uint32_t>(job.vms.size());
  state_.ready.emplace_back(TaskEnded{job.spec->job, {0, count}, first.incarnation, exit_code, {}});
  return true;
}

}  // namespace aliquot::model
