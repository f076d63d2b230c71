// How the model carries out actions: begun now, landed now or later, by a fate drawn from the seed.
#include <algorithm>

#include "manager/hypervisor/model/model_hypervisor.hpp"

namespace aliquot {
namespace {

using State = ModelVm::State;
using model::Crash;
using model::Fate;
using model::Landing;

// What a number is drawn for.
enum Purpose : std::uint64_t { failure, loss, done_though_lost, delay, crash, crash_time };

}  // namespace

bool ModelHypervisor::touches_unreachable(const Begun& what, const ModelVm& vm) const {
  if (arrives(what.kind)) return !reachable(what.to);
  if (what.kind == ActionKind::migrate && !reachable(what.to)) return true;
  return vm.exists() && !reachable(vm.node);
}

Fate ModelHypervisor::fate_of(const Begun& begun, const ModelVm& vm, Memory memory,
                              std::uint32_t task) const {
  const auto what = static_cast<std::size_t>(begun.kind);
  const std::uint64_t op = begun.op.raw;
  Fate fate;
  fate.took = options_.time_of(begun.kind, memory);
  if (fate.took.raw > 0) fate.took.raw += chance_.up_to(options_.jitter.raw, op, task, delay);
  if (touches_unreachable(begun, vm)) {
    return {Error{ErrorKind::timeout, "the node does not answer"}, false, options_.deadline};
  }
  if (chance_.happens(options_.fail[what], op, task, failure)) {
    fate.error = Error{ErrorKind::refused, "a fault that was injected"};
    fate.done = false;
  } else if (chance_.happens(options_.lost, op, task, loss)) {
    fate.error = Error{ErrorKind::timeout, "the outcome was lost"};
    fate.done = chance_.draw(op, task, done_though_lost) % 2 == 0;
    fate.took = std::max(fate.took, options_.deadline);
  }
  return fate;
}

void ModelHypervisor::perform(const Action& action, std::shared_ptr<const JobSpec> sheet) {
  const ActionHead& what = head(action);
  if (const auto* abort = std::get_if<Abort>(&action)) {
    give_up(*abort);
    ready_.emplace_back(Outcome{what.op, what.job, what.tasks, {}, {}, {}});
    return;
  }
  const auto found = jobs_.find(what.job);
  const JobSpec& told = sheet ? *sheet : *found->second.sheet;
  const auto* work = std::get_if<ModelWork>(&told.submission->program);
  const std::uint64_t end = std::uint64_t{what.tasks.first} + what.tasks.count;
  if (!work || end > told.tasks.size()) {
    checker_.record(action, what.tasks.first,
                    work ? "the job has no such task" : "the model runs only ModelWork");
    const Error error{ErrorKind::unsupported, "the model cannot do that"};
    ready_.emplace_back(Outcome{what.op, what.job, what.tasks, error, {}, {}});
    return;
  }
  ModelJob& job = found != jobs_.end() ? found->second : jobs_[what.job];
  if (job.vms.empty()) {
    job.vms.resize(told.tasks.size());
    job.work = work->alone * kFullYield;
    job.progress.since = job.running.since = now_;
  }
  if (sheet && job.sheet != sheet) job.sheet = std::move(sheet);
  if (kind(action) == ActionKind::create && is_grouped(job.demand())) job.fit_to_sheet();
  if (calm_) return perform_at_once(job, action);
  const bool together = checker_.stands_together(action, job);
  std::optional<Landing> landing;
  for (auto task = what.tasks.first; task < end; ++task) {
    if (const std::string why = checker_.objection(action, job, task, together); !why.empty()) {
      refuse(job, task, action, why);
      continue;
    }
    const Memory memory = job.demand().memory * job.vms[task].units;
    const Fate fate = fate_of(begun(action, task - what.tasks.first), job.vms[task], memory, task);
    begin(job, task, action);
    if (landing && landing->fate == fate && landing->tasks.first + landing->tasks.count == task) {
      ++landing->tasks.count;
      continue;
    }
    if (landing) enter(now_ + landing->fate.took, *landing);
    landing = Landing{what.op, what.job, {task, 1}, fate};
  }
  if (!landing) return;
  if (kind(action) == ActionKind::save) reckon(what.job, job);  // what is being saved stands still
  if (landing->fate.took.raw == 0) {
    land(*landing);
  } else {
    enter(now_ + landing->fate.took, *landing);
  }
}

// What the caller could have known is its fault; that a node took VMs with it, nobody has told it.
void ModelHypervisor::refuse(const ModelJob& job, std::uint32_t task, const Action& action,
                             const std::string& why) {
  const bool innocent = std::ranges::any_of(job.vms, [](const ModelVm& vm) { return vm.lost; });
  if (!innocent) checker_.record(action, task, why);
  const ErrorKind kind = innocent ? ErrorKind::not_found : ErrorKind::conflict;
  report(head(action).op, head(action).job, task, {Error{kind, why}, false, {}}, {});
}

void ModelHypervisor::begin(ModelJob& job, std::uint32_t task, const Action& action) {
  ModelVm& vm = job.vms[task];
  edit(job, vm, [&] { vm.under_way = begun(action, task - head(action).tasks.first); });
  const ActionKind what = kind(action);
  if (what == ActionKind::save || what == ActionKind::destroy || what == ActionKind::suspend) return;
  if (checker_.is_overloaded(vm)) checker_.record(action, task, checker_.overload(vm));
}

Fate ModelHypervisor::fate_now(const Landing& landing, const ModelVm& vm) const {
  const Begun& what = *vm.under_way;
  const bool lost = !arrives(what.kind) && what.kind != ActionKind::destroy && !vm.exists();
  // Its node died under it: what nobody answered for is not known to have failed.
  if (lost) return {Error{ErrorKind::timeout, "the node does not answer"}, false, landing.fate.took};
  if (!landing.fate.done || !touches_unreachable(what, vm)) return landing.fate;
  const bool goes = arrives(what.kind) || what.kind == ActionKind::migrate;
  const NodeId where = goes ? what.to : vm.node;
  return {Error{ErrorKind::timeout, "the node does not answer"}, dead_[where.raw] == 0, landing.fate.took};
}

void ModelHypervisor::land(const Landing& landing) {
  const auto found = jobs_.find(landing.job);
  if (found == jobs_.end()) return;
  ModelJob& job = found->second;
  bool reckons = false;
  for (auto task = landing.tasks.first; task < landing.tasks.first + landing.tasks.count; ++task) {
    if (task >= job.vms.size()) break;  // of a grouped job that has been placed anew since
    ModelVm& vm = job.vms[task];
    // Its VM may have ended, or the action been given up, in the meantime.
    if (!vm.under_way || vm.under_way->op != landing.op) continue;
    const Begun what = *vm.under_way;
    const Fate fate = fate_now(landing, vm);
    const Duration restart = fate.done ? stall_of(what.kind, vm) : Duration{};
    edit(job, vm, [&] {
      vm.under_way.reset();
      if (fate.done) take_effect(job, vm, what);
    });
    if (restart.raw > 0) stall(job, restart);
    if (fate.done && what.kind == ActionKind::release) plan_crash(job, task, landing.op);
    report(landing.op, landing.job, task, fate, fate.error ? Duration{} : restart);
    reckons = reckons || what.kind != ActionKind::create;
  }
  // A VM that has been created stands still: nothing of the job runs yet.
  if (reckons || job.progress.rate.raw > 0) reckon(landing.job, job);
}

// Neighbouring tasks of which the same is to be said go into one event.
void ModelHypervisor::report(OpId op, JobId job, std::uint32_t task, const Fate& fate, Duration stall) {
  auto* last = ready_.empty() ? nullptr : std::get_if<Outcome>(&ready_.back());
  const bool same = last && last->op == op && last->tasks.first + last->tasks.count == task &&
                    last->error == fate.error && last->took == fate.took && last->stall == stall;
  if (same) {
    ++last->tasks.count;
  } else {
    ready_.emplace_back(Outcome{op, job, {task, 1}, fate.error, fate.took, stall});
  }
}

void ModelHypervisor::take_effect(const ModelJob& job, ModelVm& vm, const Begun& what) const {
  switch (what.kind) {
    case ActionKind::create:
      vm.state = State::paused;
      vm.incarnation = job.sheet->tasks[static_cast<std::size_t>(&vm - job.vms.data())].incarnation;
      vm.node = what.to;
      vm.cap = what.yield;
      vm.resumed = vm.lost = false;
      vm.cpu_before = job.progress.at(now_);
      vm.time_before = job.running.at(now_);
      break;
    case ActionKind::restore:
      vm.state = State::paused;
      vm.node = what.to;
      vm.cap = what.yield;
      vm.resumed = true;
      break;
    case ActionKind::release:
      vm.state = State::running;
      vm.resumed = false;
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
      vm.state = State::absent;
      break;
    case ActionKind::abort:
      break;
  }
}

// The outcome of what is given up comes at once, as a failure; the VM is as it was before.
void ModelHypervisor::give_up(const Abort& abort) {
  const auto found = jobs_.find(abort.job);
  if (found == jobs_.end()) return;
  const Fate given_up{Error{ErrorKind::refused, "aborted"}, false, {}};
  for (auto task = abort.tasks.first; task < abort.tasks.first + abort.tasks.count; ++task) {
    if (task >= found->second.vms.size()) break;
    const ModelVm& vm = found->second.vms[task];
    if (vm.under_way && vm.under_way->op == abort.target) {
      land({abort.target, abort.job, {task, 1}, given_up});
    }
  }
}

void ModelHypervisor::plan_crash(const ModelJob& job, std::uint32_t task, OpId op) {
  if (!chance_.happens(options_.crash, op.raw, task, crash)) return;
  const std::int64_t within = std::get<ModelWork>(job.sheet->submission->program).alone.raw * 2;
  const Duration later{1 + chance_.up_to(within, op.raw, task, crash_time)};
  enter(now_ + later, Crash{job.sheet->job, task, job.vms[task].incarnation});
}

}  // namespace aliquot
