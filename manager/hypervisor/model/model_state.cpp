#include "manager/hypervisor/model/model_state.hpp"

#include <algorithm>

namespace aliquot::model {

using State = ModelVm::State;

namespace {

// What a number is drawn for.
constexpr std::uint64_t lateness = 100;
constexpr std::uint64_t deafness = 101;

}  // namespace

void ModelState::take_effect(const ModelJob& job, ModelVm& vm, const Begun& what) const {
  switch (what.kind) {
    case ActionKind::create:
      vm.state = State::paused;
      vm.incarnation = job.spec->tasks[static_cast<std::size_t>(&vm - job.vms.data())].incarnation;
      vm.node = what.to;
      vm.cap = what.yield;
      vm.resumed = vm.lost = false;
      vm.exit_code.reset();
      vm.cpu_before = job.progress.at(now);
      vm.time_before = job.running.at(now);
      break;
    case ActionKind::restore:
      vm.state = State::paused;
      vm.node = what.to;
      vm.cap = what.yield;
      vm.resumed = true;
      vm.lost = false;
      break;
    case ActionKind::release:
      vm.state = State::running;
      vm.resumed = vm.joins = false;
      break;
    case ActionKind::cap:
      vm.cap = what.yield;
      break;
    case ActionKind::suspend:
      vm.state = State::paused;
      break;
    case ActionKind::save:
      vm.state = State::saved;
      break;
    case ActionKind::migrate:
      vm.node = what.to;
      break;
    case ActionKind::destroy:
      vm.state = what.leaves ? State::ended : State::absent;
      if (what.leaves) vm.exit_code = 0;
      break;
    case ActionKind::abort:
    case ActionKind::checkpoint:
    case ActionKind::notify:
      break;
  }
}

Duration ModelState::stall_of(ActionKind kind, const ModelJob& job, const ModelVm& vm,
                              std::uint32_t vms) const {
  const bool restart = kind == ActionKind::migrate || (kind == ActionKind::release && vm.resumed);
  const Duration whole = restart ? options.stall_after(kind) : Duration{};
  if (kind != ActionKind::migrate || options.communication == kMillion) return whole;
  const auto left =
      std::ranges::count_if(job.vms, [](const ModelVm& of) { return of.state != State::ended; });
  const Duration together = now + whole - std::min(now + whole, std::max(now, job.moved_until));
  const Duration losing = std::max(Duration{}, job.progress.stalled_until - now);
  return losing + options.loss(whole, together, vms, static_cast<std::uint32_t>(left));
}

void ModelState::stall(ModelJob& job, ActionKind kind, Duration length) const {
  if (kind == ActionKind::migrate)
    job.moved_until = std::max(job.moved_until, now + options.stall_after(kind));
  job.progress.stall(now, length);
  job.running.stall(now, length);
}

void ModelState::notify(const ModelJob& job, std::uint32_t task, bool warns) {
  const std::uint32_t incarnation = job.vms[task].incarnation;
  const std::uint64_t of = job.spec->job.raw * kMillion + task;
  if (!chance.happens(options.deaf, of, incarnation, deafness))
    agenda.enter(now, Leave{job.spec->job, task, incarnation, warns ? kSignalled : 0});
}

void ModelState::refuse(const ModelJob& job, std::uint32_t task, const Action& action,
                        const std::string& why) {
  // That a node took VMs with it, the caller has not been told.
  const bool innocent = std::ranges::any_of(job.vms, [](const ModelVm& vm) { return vm.lost; });
  if (!innocent) checker.record(action, task, why);
  const ErrorKind kind = innocent ? ErrorKind::not_found : ErrorKind::conflict;
  report(head(action).op, head(action).job, task, {Error{kind, why}, false, {}}, {});
}

void ModelState::report_late(Event event) {
  const Duration later{chance.up_to(options.late_by.raw, take_reply_number(), 0, lateness)};
  agenda.enter(now + later, LateReply{std::make_unique<Event>(std::move(event)), managers});
}

void ModelState::report(OpId op, JobId job, std::uint32_t task, const Fate& fate, Duration stall_after) {
  if (op < first_heard) return;
  auto* last = ready.empty() ? nullptr : std::get_if<Outcome>(&ready.back());
  const bool same = last && last->op == op && last->tasks.first + last->tasks.count == task &&
                    last->error == fate.error && last->took == fate.took && last->stall == stall_after;
  if (same)
    ++last->tasks.count;
  else
    ready.emplace_back(Outcome{op, job, {task, 1}, fate.error, fate.took, stall_after});
}

}  // namespace aliquot::model
