// How the model carries out actions: begun now, landed now or later, by a fate drawn from the seed.
#include <algorithm>

#include "manager/hypervisor/model_hypervisor.hpp"

namespace aliquot {
namespace {

using State = ModelVm::State;
using model::Crash;
using model::Fate;
using model::Landing;

// What a number is drawn for.
enum Purpose : std::uint64_t { failure, loss, done_though_lost, delay, crash, crash_time };

// Of a create or a restore.
NodeId destination(const Action& action, std::uint32_t task) {
  const auto* create = std::get_if<Create>(&action);
  const TaskNodes& nodes = create ? create->nodes : std::get<Restore>(action).nodes;
  return nodes[task - head(action).tasks.first];
}

}  // namespace

bool ModelHypervisor::touches_unreachable(const Action& action, const ModelVm& vm,
                                          std::uint32_t task) const {
  const bool arrives = kind(action) == ActionKind::create || kind(action) == ActionKind::restore;
  if (arrives) return !reachable(destination(action, task));
  const auto* migrate = std::get_if<Migrate>(&action);
  if (migrate && !reachable(migrate->to[task - migrate->tasks.first])) return true;
  return vm.exists() && !reachable(vm.node);
}

Fate ModelHypervisor::fate_of(const Action& action, const ModelVm& vm, Memory memory,
                              std::uint32_t task) const {
  const auto what = static_cast<std::size_t>(kind(action));
  const std::uint64_t op = head(action).op.raw;
  Fate fate;
  fate.took = options_.time_of(kind(action), memory);
  if (fate.took.raw > 0) fate.took.raw += chance_.up_to(options_.jitter.raw, op, task, delay);
  if (touches_unreachable(action, vm, task)) {
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

void ModelHypervisor::perform(const Action& action, std::shared_ptr<const JobSheet> sheet) {
  const ActionHead& what = head(action);
  if (const auto* abort = std::get_if<Abort>(&action)) {
    give_up(*abort);
    ready_.emplace_back(Outcome{what.op, what.job, what.tasks, {}, {}, {}});
    return;
  }
  const auto* work = std::get_if<ModelWork>(&sheet->submission->program);
  const std::uint64_t end = std::uint64_t{what.tasks.first} + what.tasks.count;
  if (!work || end > sheet->tasks.size()) {
    judge_.blame(action, what.tasks.first,
                 work ? "the job has no such task" : "the model runs only ModelWork");
    const Error error{ErrorKind::unsupported, "the model cannot do that"};
    ready_.emplace_back(Outcome{what.op, what.job, what.tasks, error, {}, {}});
    return;
  }
  ModelJob& job = jobs_[what.job];
  if (job.vms.empty()) {
    job.vms.resize(sheet->tasks.size());
    job.work = work->alone * kFullYield;
    job.progress.since = job.running.since = now_;
  }
  if (job.sheet != sheet) job.sheet = std::move(sheet);
  if (kind(action) == ActionKind::create && is_grouped(job.demand())) job.fit_to_sheet();
  if (calm_) return perform_at_once(job, action);
  const bool together = judge_.stands_together(action, job);
  std::optional<Landing> landing;
  for (auto task = what.tasks.first; task < end; ++task) {
    if (const std::string why = judge_.objection(action, job, task, together); !why.empty()) {
      refuse(job, task, action, why);
      continue;
    }
    const Memory memory = job.demand().memory * job.vms[task].units;
    const Fate fate = fate_of(action, job.vms[task], memory, task);
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

void ModelHypervisor::perform_at_once(ModelJob& job, const Action& action) {
  const ActionHead& what = head(action);
  const ActionKind how = kind(action);
  const bool together = judge_.stands_together(action, job);
  Outcome well{what.op, what.job, {what.tasks.first, 0}, {}, {}, {}};
  const auto say = [&](std::uint32_t next) {
    if (well.tasks.count > 0) ready_.emplace_back(well);
    well.tasks = {next, 0};
  };
  for (auto task = what.tasks.first; task < what.tasks.first + what.tasks.count; ++task) {
    ModelVm& vm = job.vms[task];
    if (const std::string why = judge_.objection(action, job, task, together); !why.empty()) {
      say(task + 1);
      refuse(job, task, action, why);
      continue;
    }
    const bool restart = how == ActionKind::migrate || (how == ActionKind::release && vm.resumed);
    change_at_once(job, task, action);
    const Duration stall = restart ? options_.stall_after(how) : Duration{};
    if (stall.raw > 0) {
      job.progress.stall(now_, stall);
      job.running.stall(now_, stall);
    }
    if (stall != well.stall) say(task);
    well.stall = stall;
    ++well.tasks.count;
  }
  say(0);
  if (how != ActionKind::create || job.progress.rate.raw > 0) reckon(what.job, job);
}

// Both ends of a move are held for a moment.
void ModelHypervisor::change_at_once(ModelJob& job, std::uint32_t task, const Action& action) {
  ModelVm& vm = job.vms[task];
  std::optional<ModelVm> before;
  if (kind(action) == ActionKind::migrate)
    before = vm;
  else
    judge_.charge(job, vm, -1);
  take_effect(job, vm, action);
  judge_.charge(job, vm, 1);
  if (vm.exists() && judge_.is_overloaded(vm)) judge_.blame(action, task, judge_.overload(vm));
  if (before) judge_.charge(job, *before, -1);
}

// What the caller could have known is its fault; that a node took VMs with it, nobody has told it.
void ModelHypervisor::refuse(const ModelJob& job, std::uint32_t task, const Action& action,
                             const std::string& why) {
  const bool innocent = std::ranges::any_of(job.vms, [](const ModelVm& vm) { return vm.lost; });
  if (!innocent) judge_.blame(action, task, why);
  const ErrorKind kind = innocent ? ErrorKind::not_found : ErrorKind::conflict;
  report(head(action).op, head(action).job, task, {Error{kind, why}, false, {}}, {});
}

void ModelHypervisor::begin(ModelJob& job, std::uint32_t task, const Action& action) {
  ModelVm& vm = job.vms[task];
  edit(job, vm, [&] { vm.under_way = for_task(action, task); });
  const ActionKind what = kind(action);
  if (what == ActionKind::save || what == ActionKind::destroy || what == ActionKind::suspend) return;
  if (judge_.is_overloaded(vm)) judge_.blame(action, task, judge_.overload(vm));
}

Fate ModelHypervisor::fate_now(const Landing& landing, const ModelVm& vm) const {
  const Action& action = *vm.under_way;
  const bool arrives = kind(action) == ActionKind::create || kind(action) == ActionKind::restore;
  const bool lost = !arrives && kind(action) != ActionKind::destroy && !vm.exists();
  // Its node died under it: what nobody answered for is not known to have failed.
  if (lost) return {Error{ErrorKind::timeout, "the node does not answer"}, false, landing.fate.took};
  if (!landing.fate.done || !touches_unreachable(action, vm, head(action).tasks.first)) return landing.fate;
  const auto* migrate = std::get_if<Migrate>(&action);
  const NodeId where = migrate   ? migrate->to[0]
                       : arrives ? destination(action, head(action).tasks.first)
                                 : vm.node;
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
    if (!vm.under_way || head(*vm.under_way).op != landing.op) continue;
    const Action action = *vm.under_way;
    const Fate fate = fate_now(landing, vm);
    const bool restart =
        kind(action) == ActionKind::migrate || (kind(action) == ActionKind::release && vm.resumed);
    edit(job, vm, [&] {
      vm.under_way.reset();
      if (fate.done) take_effect(job, vm, action);
    });
    const Duration stall = fate.done && restart ? options_.stall_after(kind(action)) : Duration{};
    if (stall.raw > 0) {
      job.progress.stall(now_, stall);
      job.running.stall(now_, stall);
    }
    if (fate.done && kind(action) == ActionKind::release) plan_crash(job, task, landing.op);
    report(landing.op, landing.job, task, fate, fate.error ? Duration{} : stall);
    reckons = reckons || kind(action) != ActionKind::create;
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

void ModelHypervisor::take_effect(ModelJob& job, ModelVm& vm, const Action& action) {
  const auto task = static_cast<std::uint32_t>(&vm - job.vms.data());
  switch (kind(action)) {
    case ActionKind::create:
      vm.state = State::paused;
      vm.incarnation = job.sheet->tasks[task].incarnation;
      vm.node = destination(action, task);
      vm.cap = std::get<Create>(action).yield;
      vm.resumed = vm.lost = false;
      vm.cpu_before = job.progress.at(now_);
      vm.time_before = job.running.at(now_);
      break;
    case ActionKind::restore:
      vm.state = State::paused;
      vm.node = destination(action, task);
      vm.cap = std::get<Restore>(action).yield;
      vm.resumed = true;
      break;
    case ActionKind::release:
      vm.state = State::running;
      vm.resumed = false;
      break;
    case ActionKind::cap:
      vm.cap = std::get<Cap>(action).yield;
      break;
    case ActionKind::suspend:
      vm.state = State::paused;
      break;
    case ActionKind::save:
      vm.state = State::saved;
      break;
    case ActionKind::migrate:
      vm.node = std::get<Migrate>(action).to[task - head(action).tasks.first];
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
    if (vm.under_way && head(*vm.under_way).op == abort.target) {
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
