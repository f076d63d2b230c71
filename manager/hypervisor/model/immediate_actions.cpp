// How the model carries out actions when nothing takes time and nothing goes wrong: begun and landed in
// one, and for all VMs of a job in one where they are alike.
#include <algorithm>
#include <utility>

#include "manager/hypervisor/model/model_hypervisor.hpp"

namespace aliquot {

using State = ModelVm::State;

Duration ModelHypervisor::stall_of(ActionKind kind, const ModelVm& vm) const {
  const bool restart = kind == ActionKind::migrate || (kind == ActionKind::release && vm.resumed);
  return restart ? options_.stall_after(kind) : Duration{};
}

void ModelHypervisor::stall(ModelJob& job, Duration length) const {
  job.progress.stall(now_, length);
  job.running.stall(now_, length);
}

void ModelHypervisor::perform_at_once(ModelJob& job, const Action& action) {
  const ActionHead& what = head(action);
  const ActionKind how = kind(action);
  Outcome well{what.op, what.job, {what.tasks.first, 0}, {}, {}, {}};
  const auto say = [&](std::uint32_t next) {
    if (well.tasks.count > 0) ready_.emplace_back(well);
    well.tasks = {next, 0};
  };
  if (changes_alike(job, action)) {
    well.stall = stall_of(how, job.vms.front());
    well.tasks = what.tasks;
    change_all_at_once(job, action);
    if (well.stall.raw > 0) stall(job, well.stall);
  } else if (const auto* migrate = std::get_if<Migrate>(&action); migrate && moves_plainly(job, *migrate)) {
    well.stall = stall_of(how, job.vms.front());
    well.tasks = what.tasks;
    move_at_once(job, *migrate, action);
    if (well.stall.raw > 0) stall(job, well.stall);
  } else {
    const bool together = checker_.stands_together(action, job);
    for (auto task = what.tasks.first; task < what.tasks.first + what.tasks.count; ++task) {
      if (const std::string why = checker_.objection(action, job, task, together); !why.empty()) {
        say(task + 1);
        refuse(job, task, action, why);
        continue;
      }
      const Duration restart = stall_of(how, job.vms[task]);
      change_at_once(job, task, action);
      if (restart.raw > 0) stall(job, restart);
      if (restart != well.stall) say(task);
      well.stall = restart;
      ++well.tasks.count;
    }
  }
  say(0);
  if (how != ActionKind::create || job.progress.rate.raw > 0) reckon_later(what.job, job);
}

void ModelHypervisor::change_at_once(ModelJob& job, std::uint32_t task, const Action& action) {
  ModelVm& vm = job.vms[task];
  job.alike = false;
  const auto accuse = [&] {
    if (vm.exists() && checker_.is_overloaded(vm)) checker_.record(action, task, checker_.overload(vm));
  };
  const std::uint32_t at = task - head(action).tasks.first;
  checker_.charge(job, vm, -1);
  take_effect(job, vm, begun(action, at));
  checker_.charge(job, vm, 1);
  accuse();
}

bool ModelHypervisor::moves_plainly(const ModelJob& job, const Migrate& migrate) const {
  for (std::uint32_t at = 0; at < migrate.tasks.count; ++at) {
    const ModelVm& vm = job.vms[migrate.tasks.first + at];
    if (!checker_.moves_plainly(vm, migrate.from[at], migrate.to[at])) return false;
  }
  return true;
}

// Both ends of a move are held for a moment.
void ModelHypervisor::move_at_once(ModelJob& job, const Migrate& migrate, const Action& action) {
  job.alike = false;
  for (std::uint32_t at = 0; at < migrate.tasks.count; ++at) {
    const std::uint32_t task = migrate.tasks.first + at;
    ModelVm& vm = job.vms[task];
    const ConformanceChecker::Used held = ConformanceChecker::held(job, vm);
    const NodeId from = std::exchange(vm.node, migrate.to[at]);
    checker_.add(vm.node, held);
    if (checker_.is_overloaded(vm)) checker_.record(action, task, checker_.overload(vm));
    checker_.remove(from, held);
  }
}

bool ModelHypervisor::changes_alike(ModelJob& job, const Action& action) const {
  const bool all = head(action).tasks.count == job.vms.size() && kind(action) != ActionKind::migrate;
  return all && job.vms.front().devices == 0 && job.are_alike() && checker_.allows_all(action, job);
}

void ModelHypervisor::change_all_at_once(ModelJob& job, const Action& action) {
  ModelVm& first = job.vms.front();
  const ConformanceChecker::Used before = ConformanceChecker::held(job, first);
  take_effect(job, first, begun(action, 0));
  const ConformanceChecker::Used more = ConformanceChecker::held(job, first) - before;
  const bool settles = arrives(kind(action));
  std::uint32_t task = 0;
  for (ModelVm& vm : job.vms) {
    if (settles && task > 0) {
      vm = first;
      vm.node = begun(action, task).to;
    } else {  // of a VM that stays only these may be changed
      vm.state = first.state;
      vm.cap = first.cap;
      vm.resumed = first.resumed;
    }
    checker_.add(vm.node, more);
    if (vm.exists() && checker_.is_overloaded(vm)) checker_.record(action, task, checker_.overload(vm));
    ++task;
  }
}

bool ModelHypervisor::ends_alike(ModelJob& job) const {
  const ModelVm& first = job.vms.front();
  return calm_ && first.state == State::running && first.devices == 0 && job.are_alike();
}

void ModelHypervisor::end_all_at_once(ModelJob& job, int exit_code) {
  const ConformanceChecker::Used less = ConformanceChecker::held(job, job.vms.front());
  for (ModelVm& vm : job.vms) {
    checker_.remove(vm.node, less);
    vm.state = State::ended;
    vm.exit_code = exit_code;
  }
  const auto count = static_cast<std::uint32_t>(job.vms.size());
  ready_.emplace_back(TaskEnded{job.sheet->job, {0, count}, job.vms.front().incarnation, exit_code, {}});
}

}  // namespace aliquot
