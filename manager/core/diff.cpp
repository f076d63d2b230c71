#include "manager/core/diff.hpp"

#include <algorithm>
#include <utility>

#include "manager/core/pause_together.hpp"
#include "manager/core/size_transitions.hpp"

namespace aliquot {
namespace {

Yield cap_as_yield(const Vm& vm) { return std::clamp(vm.cap, Yield{1}, kFullYield); }
bool is_ready(const Vm& vm) { return vm.state == VmState::ready; }

class Differ {
 public:
  Differ(const Cluster& cluster, DiffStorage& storage)
      : cluster_(cluster),
        storage_(storage),
        free_(cluster, std::move(storage.reserved)),
        actions_(cluster.state().next_op, std::move(storage.actions)) {
    jobs_.clear();
  }
  Differ(const Differ&) = delete;
  Differ& operator=(const Differ&) = delete;
  ~Differ() { storage_.reserved = free_.take_reserved(); }

  // `checkpoints`: the jobs of which one is to be made; nothing else is to be done for them.
  std::vector<Action> run(const std::vector<JobId>& checkpoints) {
    cluster_.list_pending(jobs_);
    for (const PendingJob& job : jobs_)
      if (job.work.frees) free_job(job);
    Migrations(cluster_, storage_.moves, free_, actions_).choose(jobs_);
    break_cycles();
    for (const PendingJob& job : jobs_)
      if (job.work.grows) grow_job(job);
    for (const JobId id : checkpoints)
      actions_.all(*cluster_.record(id), next_checkpoint_of(id, cluster_.state().checkpoints.at(id)));
    return actions_.take();
  }

 private:
  [[nodiscard]] bool answers(NodeId node) const {
    return all_up_ || aliquot::answers(cluster_.view(), node);
  }
  [[nodiscard]] bool is_free_to_act(const Vm& vm) const {
    return aliquot::is_free_to_act(cluster_.view(), vm);
  }

  // --- what frees capacity ---

  void free_job(const PendingJob& pending) {
    const auto [id, job] = std::pair(pending.id, pending.job);
    const JobRecord& record = *pending.record;
    const bool runs = job && job->phase == Phase::running;
    if (runs && pending.uniform && !is_to_be_warned(record.vms.front()) && only_lowers_caps(*job, record))
      return actions_.all(record, Cap{{{}, id, {}}, job->yield});
    if (job && !runs && is_paused_together(record) && !may_be_put_away(id, record)) return;
    for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task) {
      const Vm& vm = record.vms[task];
      if (!job && vm.flight && !vm.unclear) abort_for_leaving(id, task, vm);
      if (!is_free_to_act(vm)) continue;
      if (!job)
        destroy(id, task, vm);
      else if (!runs)
        put_away(id, task, vm);
      else
        free_running(*job, task, vm);
    }
  }

  // A uniform job that is in place, with nothing but its caps to lower.
  [[nodiscard]] bool only_lowers_caps(const Job& job, const JobRecord& record) const {
    const Vm& first = record.vms.front();
    return exists(first) && !first.rolls_back && job.yield < first.cap && is_free_to_act(first) &&
           (all_up_ || std::ranges::all_of(record.vms, [this](const Vm& vm) { return answers(vm.node); }));
  }

  // A long action on a job that is leaving is aborted, once: in the step in which the job was cancelled.
  void abort_for_leaving(JobId id, std::uint32_t task, const Vm& vm) {
    const ActionKind what = vm.flight->kind;
    const bool abortable =
        what == ActionKind::migrate || what == ActionKind::save || what == ActionKind::checkpoint;
    if (!abortable || cluster_.record(id)->leaving->progress.since != cluster_.view().now) return;
    actions_.add(Abort{{{}, id, {}}, vm.flight->op}, task,
                 [&](const Abort& last) { return last.target == vm.flight->op; });
  }

  void destroy(JobId id, std::uint32_t task, const Vm& vm) {
    if (vm.state == VmState::absent) return;
    if (exists(vm) && !answers(vm.node)) return;
    actions_.on_node(Destroy{{{}, id, {}}, vm.node}, task);
  }

  // Of a job that is paused together.
  [[nodiscard]] bool may_be_put_away(JobId id, const JobRecord& record) {
    if (!is_brought_back(record))
      return record.pause_again <= cluster_.view().now && all_stand_still(id, record);
    if (!can_be_brought_back(cluster_.view(), record)) return all_stand_still(id, record);
    bring_back(id, record);
    return false;
  }

  // Restores what has been saved where it stood, then releases all that is suspended. Where the
  // need has changed, the cap that a VM had may be no yield.
  void bring_back(JobId id, const JobRecord& record) {
    bool whole = true;
    for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task) {
      const Vm& vm = record.vms[task];
      if (vm.state == VmState::ended || vm.joins) continue;
      const bool runs = vm.state == VmState::running && !vm.flight && !vm.unclear;
      whole = whole && (runs || (is_ready(vm) && is_free_to_act(vm) && !vm.cap_stale));
      if (!is_free_to_act(vm)) continue;
      if (vm.state == VmState::saved)
        actions_.on_node(Restore{{{}, id, {}}, vm.node, cap_as_yield(vm)}, task);
      else if (vm.state == VmState::ready && vm.cap_stale)
        actions_.cap(id, task, cap_as_yield(vm));
    }
    if (!whole) return;
    for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task)
      if (is_ready(record.vms[task]) && !record.vms[task].joins) actions_.release(id, task);
  }

  // All VMs stop before the first is saved. Suspends them; true once none runs any more. One that is being
  // released may run already. A VM on a silent node cannot be waited for.
  [[nodiscard]] bool all_stand_still(JobId id, const JobRecord& record) {
    const auto runs = [this](const Vm& vm) {
      const bool is_released = vm.flight && vm.flight->kind == ActionKind::release;
      return (vm.state == VmState::running || is_released) && answers(vm.node);
    };
    if (std::ranges::none_of(record.vms, runs)) return true;
    const auto is_busy = [&](const Vm& vm) { return runs(vm) && !is_free_to_act(vm); };
    if (std::ranges::any_of(record.vms, is_busy)) return false;
    for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task)
      if (runs(record.vms[task]))
        actions_.add(Suspend{{{}, id, {}}}, task, [](const Suspend&) { return true; });
    return false;
  }

  // A VM that has never run, or is to go back to a checkpoint, is destroyed, not saved.
  void put_away(JobId id, std::uint32_t task, const Vm& vm) {
    if (!exists(vm) || !answers(vm.node)) return;
    if (vm.has_run && !vm.rolls_back)
      actions_.on_node(Save{{{}, id, {}}, vm.node}, task);
    else
      actions_.on_node(Destroy{{{}, id, {}}, vm.node, vm.leaving != Leaving::no && !vm.rolls_back}, task);
  }

  // What frees something although the job is to run: a lower cap, a VM that cannot be migrated.
  void free_running(const Job& job, std::uint32_t task, const Vm& vm) {
    if (!exists(vm) || !answers(vm.node)) return;
    if (vm.leaving != Leaving::no && let_leave(job.id, task, vm)) return;
    if (is_to_be_warned(vm)) return notify(job.id, task, true);
    const bool moves = vm.node != vm.wanted;
    if (vm.rolls_back || (moves && !vm.has_run))
      actions_.on_node(Destroy{{{}, job.id, {}}, vm.node}, task);
    else if (moves && is_saved_instead(cluster_.view(), vm))
      actions_.on_node(Save{{{}, job.id, {}}, vm.node}, task);
    else if (job.yield < vm.cap)
      actions_.cap(job.id, task, job.yield);
  }

  // Its task is to leave its job. False: there is nothing to be done about that now.
  [[nodiscard]] bool let_leave(JobId id, std::uint32_t task, const Vm& vm) {
    const LeavingStep step = leaving_step(vm, cluster_.view().now);
    if (step == LeavingStep::notify) notify(id, task, false);
    if (step == LeavingStep::destroy) actions_.on_node(Destroy{{{}, id, {}}, vm.node, true}, task);
    return step != LeavingStep::nothing;
  }

  void notify(JobId id, std::uint32_t task, bool warns) {
    actions_.add(Notify{{{}, id, {}}, warns}, task,
                 [warns](const Notify& last) { return last.warns == warns; });
  }

  // --- cycles of migrations ---

  // Only moves that are still blocked when all that is in flight has landed wait for each other. That is
  // found out once for a plan, and again when nothing goes on any more.
  void break_cycles() {
    if (blocked_.empty()) return;
    const auto acts = [](const PendingJob& job) { return job.work.in_flight; };
    const bool stuck = actions_.empty() && std::ranges::none_of(jobs_, acts);
    if (cluster_.cycles_broken() && !stuck) return;
    std::vector<BlockedMove> blocked;
    blocked.reserve(blocked_.size());
    for (const BlockedMoves::Blocked& known : blocked_) blocked.push_back(known.move);
    FreeCapacity free(cluster_, std::move(storage_.reserved_for_cycles));
    let_others_land(free);
    for (const BlockedMove& move : moves_to_break(blocked, free, cluster_.view().nodes.size()))
      actions_.on_node(Save{{{}, move.job, {}}, move.from}, move.task);
    storage_.reserved_for_cycles = free.take_reserved();
  }

  // Changes `free` to what it will be once every VM but the blocked ones is where the plan wants it, or
  // gone.
  void let_others_land(FreeCapacity& free) const {
    auto blocked = blocked_.begin();  // in the same order: by job, then by task
    for (const PendingJob& pending : jobs_) {
      const Job* const job = pending.job;
      const JobRecord& record = *pending.record;
      const Demand& demand = record.submission->demand;
      const bool runs = job && job->phase == Phase::running;
      const Cpu planned = runs ? demand.need * job->yield : Cpu{};
      for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task) {
        const Vm& vm = record.vms[task];
        if (blocked != blocked_.end() && blocked->move.job == pending.id && blocked->move.task == task) {
          ++blocked;
          continue;
        }
        const bool stays = runs && exists(vm);
        if (stays && !vm.flight && vm.node == vm.wanted && vm.cap == job->yield) continue;
        const VmCharge held = charge_of(demand, vm);
        for (const NodeId node : held.places()) free.give_back(node, held.each);
        const Cpu cpu = vm.state == VmState::running ? planned : Cpu{};
        if (stays) free.reserve(vm.wanted, {demand.memory * vm.units, cpu * vm.units});
      }
    }
  }

  // --- what needs capacity ---

  void grow_job(const PendingJob& pending) {
    const Job& job = *pending.job;
    const JobRecord& record = *pending.record;
    const Vm& first = record.vms.front();
    if (pending.uniform && !exists(first) && start_all(job, record)) return;
    if (cluster_.may_evolve(pending.id) && std::ranges::any_of(record.vms, [this](const Vm& vm) {
          return leaving_step(vm, cluster_.view().now) != LeavingStep::nothing;
        }))
      return;  // let_leave() has an action for it
    const bool in_place =
        pending.uniform && exists(first) && !first.rolls_back && first.cap == job.yield && !first.cap_stale;
    if (in_place ? !is_free_to_act(first) : !start_missing(job, record)) return;
    if (std::ranges::any_of(representatives(record, pending.uniform), is_ready))
      release(job, record, pending.uniform);
    raise(job, record, pending.uniform);
  }

  // Creates or restores what is missing of a job, and caps what is paused. Returns true if there is
  // nothing of that kind: then the job can be released, or its caps be raised.
  [[nodiscard]] bool start_missing(const Job& job, const JobRecord& record) {
    bool complete = true;
    for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task) {
      const Vm& vm = record.vms[task];
      if (vm.state == VmState::ended) continue;
      // A running VM needs nothing here; it could only show that something is missing, which is known.
      if (!complete && vm.state == VmState::running) continue;
      const bool there = exists(vm);
      const bool here = there && vm.node == vm.wanted;
      const bool capped = vm.cap == job.yield && !vm.cap_stale;
      const bool free = is_free_to_act(vm);
      complete = complete && here && free && !vm.rolls_back && (capped || vm.state == VmState::running);
      if (!free || !answers(vm.wanted)) continue;
      if (!there)
        start(job, record, task, vm);
      else if (here && vm.state == VmState::ready && !vm.rolls_back && !capped && job.yield >= vm.cap)
        actions_.cap(job.id, task, job.yield);
    }
    return complete;
  }

  // The checkpoint from which the VM is to be restored; 0: from where it was saved.
  [[nodiscard]] std::uint32_t source_of(JobId id, const Vm& vm) const {
    return vm.rolls_back ? cluster_.state().checkpoints.at(id).kept.back().number : 0;
  }

  void start(const Job& job, const JobRecord& record, std::uint32_t task, const Vm& vm) {
    const NodeCharge charge{job.demand.memory * vm.units, Cpu{}};
    if (!free_.fits(vm.wanted, charge)) return;
    if (!record.devices.empty()) {
      const std::uint16_t parts = job.demand.devices.parts;
      if (!free_.fits(vm.wanted, record.devices[task], parts)) return;
      free_.reserve(vm.wanted, record.devices[task], parts);
    }
    free_.reserve(vm.wanted, charge);
    if (vm.state == VmState::saved)
      actions_.on_node(Restore{{{}, job.id, {}}, vm.wanted, job.yield, source_of(job.id, vm)}, task);
    else
      actions_.on_node(Create{{{}, job.id, {}}, vm.wanted, job.yield}, task);
  }

  // The same for a uniform job of which no VM exists, in one action. False: it has to be done task by
  // task.
  bool start_all(const Job& job, const JobRecord& record) {
    const Vm& first = record.vms.front();
    if (!is_free_to_act(first) || !record.devices.empty()) return false;
    const NodeCharge charge{job.demand.memory * first.units, Cpu{}};
    for (auto vm = record.vms.begin(); vm != record.vms.end(); ++vm) {
      if (!answers(vm->wanted) || !free_.fits(vm->wanted, charge)) {
        while (vm != record.vms.begin()) free_.give_back((--vm)->wanted, charge);
        return false;
      }
      free_.reserve(vm->wanted, charge);
    }
    if (first.state == VmState::saved)
      actions_.all(record,
                   Restore{{{}, job.id, {}}, wanted_nodes(record), job.yield, source_of(job.id, first)});
    else
      actions_.all(record, Create{{{}, job.id, {}}, wanted_nodes(record), job.yield});
    return true;
  }

  // Reserves the CPU that wish(vm) asks for on every node of the job, or none at all.
  template <class Wish>
  bool reserve_cpu(const Job& job, const JobRecord& record, bool uniform, Wish wish) {
    const auto asked = [&](const Vm& vm) { return NodeCharge{Memory{}, std::max(wish(vm), Cpu{})}; };
    if (uniform) return reserve_evenly(job, asked(record.vms.front()), record.vms.front().units);
    for (auto vm = record.vms.begin(); vm != record.vms.end(); ++vm) {
      const NodeCharge more = asked(*vm);
      if (more.cpu.raw == 0) continue;
      if (!answers(vm->node) || !free_.fits(vm->node, more)) {
        while (vm != record.vms.begin()) --vm, free_.give_back(vm->node, asked(*vm));
        return false;
      }
      free_.reserve(vm->node, more);
    }
    return true;
  }

  // The same for a uniform job. Its VMs, each of so many tasks, ask for the same, and stand as it is
  // placed.
  bool reserve_evenly(const Job& job, const NodeCharge& each, std::int64_t units) {
    if (each.cpu.raw == 0) return true;
    for (auto share = job.placement.begin(); share != job.placement.end(); ++share) {
      const NodeCharge more = each * (share->units / units);
      if (!answers(share->node) || !free_.fits(share->node, more)) {
        while (share != job.placement.begin())
          --share, free_.give_back(share->node, each * (share->units / units));
        return false;
      }
      free_.reserve(share->node, more);
    }
    return true;
  }

  // A job of several tasks starts together: all its VMs are ready, then all are released at once.
  void release(const Job& job, const JobRecord& record, bool uniform) {
    const auto wish = [&](const Vm& vm) {
      return is_ready(vm) ? job.demand.need * vm.cap * vm.units : Cpu{};
    };
    if (!reserve_cpu(job, record, uniform, wish)) return;
    if (uniform) return actions_.all(record, Release{{{}, job.id, {}}});
    for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task)
      if (is_ready(record.vms[task])) actions_.release(job.id, task);
  }

  void raise(const Job& job, const JobRecord& record, bool uniform) {
    const auto too_low = [&](const Vm& vm) {
      return vm.state == VmState::running && !is_to_be_warned(vm) &&
             (vm.cap < job.yield || (vm.cap_stale && vm.cap == job.yield));
    };
    const auto more = [&](const Vm& vm) {
      return too_low(vm) ? (job.demand.need * job.yield - job.demand.need * vm.cap) * vm.units : Cpu{};
    };
    if (std::ranges::none_of(representatives(record, uniform), too_low)) return;
    if (!reserve_cpu(job, record, uniform, more)) return;
    if (uniform) return actions_.all(record, Cap{{{}, job.id, {}}, job.yield});
    for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task)
      if (too_low(record.vms[task])) actions_.cap(job.id, task, job.yield);
  }

  const Cluster& cluster_;
  DiffStorage& storage_;
  const bool all_up_ = all_up(cluster_.view());
  FreeCapacity free_;
  ActionList actions_;
  std::vector<PendingJob>& jobs_ = storage_.jobs;
  const std::vector<BlockedMoves::Blocked>& blocked_ = storage_.moves.blocked;
};

}  // namespace

std::vector<Action> diff(const Cluster& cluster, DiffStorage& storage) {
  const std::vector<JobId> checkpoints = cluster.due_checkpoints();
  if (cluster.has_converged() && checkpoints.empty()) return {};
  return Differ(cluster, storage).run(checkpoints);
}

}  // namespace aliquot
