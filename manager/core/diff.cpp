#include "manager/core/diff.hpp"

#include <algorithm>
#include <utility>

#include "manager/core/emitter.hpp"
#include "manager/core/in_step.hpp"
#include "manager/core/mover.hpp"

namespace aliquot {
namespace {

class Differ {
 public:
  Differ(const Cluster& cluster, DiffStorage& storage)
      : cluster_(cluster),
        storage_(storage),
        room_(cluster, std::move(storage.promised)),
        emitter_(cluster.state().next_op, std::move(storage.actions)) {
    items_.clear();
  }
  Differ(const Differ&) = delete;
  Differ& operator=(const Differ&) = delete;
  ~Differ() {
    storage_.promised = room_.take_promises();
    storage_.promised.clear();
  }

  std::vector<Action> run() {
    cluster_.list_unsettled(items_);
    for (const Item& item : items_)
      if (item.left.free) free_job(item);
    Mover(cluster_, storage_.moves, room_, emitter_).run(items_);
    break_cycles();
    for (const Item& item : items_)
      if (item.left.grow) grow_job(item);
    return emitter_.take();
  }

 private:
  using Item = Cluster::Unsettled;

  [[nodiscard]] bool answers(NodeId node) const {
    return all_up_ || aliquot::answers(cluster_.view(), node);
  }
  [[nodiscard]] bool free_to_act(const Vm& vm) const { return aliquot::free_to_act(cluster_.view(), vm); }

  static bool is_ready(const Vm& vm) { return vm.state == VmState::ready; }

  void free_job(const Item& item) {
    const auto [id, job] = std::pair(item.id, item.job);
    const JobRecord& record = *item.record;
    const bool runs = job && job->phase == Phase::running;
    if (runs && item.in_step && lowers_all(*job, record))
      return emitter_.all(record, Cap{{{}, id, {}}, job->yield});
    for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task) {
      const Vm& vm = record.vms[task];
      if (!job && vm.flight && !vm.unclear) abort_for_leaving(id, task, vm);
      if (!free_to_act(vm)) continue;
      if (!job)
        destroy(id, task, vm);
      else if (!runs)
        put_away(id, task, vm);
      else
        free_running(*job, task, vm);
    }
  }

  // A job in step that stands where it is wanted, with nothing but its caps to lower.
  [[nodiscard]] bool lowers_all(const Job& job, const JobRecord& record) const {
    const Vm& first = record.vms.front();
    return exists(first) && job.yield < first.cap && free_to_act(first) &&
           std::ranges::all_of(record.vms, [this](const Vm& vm) { return answers(vm.node); });
  }

  // A long action on a job that is leaving is cut short, once: at the step in which it was cancelled.
  void abort_for_leaving(JobId id, std::uint32_t task, const Vm& vm) {
    const bool abortable = vm.flight->kind == ActionKind::migrate || vm.flight->kind == ActionKind::save;
    if (!abortable || cluster_.record(id)->leaving->progress.since != cluster_.view().now) return;
    emitter_.add(Abort{{{}, id, {}}, vm.flight->op}, task,
                 [&](const Abort& last) { return last.target == vm.flight->op; });
  }

  void destroy(JobId id, std::uint32_t task, const Vm& vm) {
    if (vm.state == VmState::absent) return;
    if (exists(vm) && !answers(vm.node)) return;
    emitter_.on_node(Destroy{{{}, id, {}}, vm.node}, task);
  }

  // What has never run is not worth saving.
  void put_away(JobId id, std::uint32_t task, const Vm& vm) {
    if (!exists(vm) || !answers(vm.node)) return;
    if (vm.has_run)
      emitter_.on_node(Save{{{}, id, {}}, vm.node}, task);
    else
      emitter_.on_node(Destroy{{{}, id, {}}, vm.node}, task);
  }

  // What frees something although its job is to run: a lower cap, a VM that cannot be moved as it is.
  void free_running(const Job& job, std::uint32_t task, const Vm& vm) {
    if (!exists(vm) || !answers(vm.node)) return;
    const bool moving = vm.node != vm.wanted;
    if (moving && !vm.has_run)
      emitter_.on_node(Destroy{{{}, job.id, {}}, vm.node}, task);
    else if (moving && vm.failures >= kMigrateAttempts)
      emitter_.on_node(Save{{{}, job.id, {}}, vm.node}, task);
    else if (job.yield < vm.cap)
      emitter_.cap(job.id, task, job.yield);
  }

  // Only moves that would still be blocked when all that is under way has landed wait for each other. That
  // is found out once for a plan, and again when nothing goes on any more.
  void break_cycles() {
    if (blocked_.empty()) return;
    const bool stuck = emitter_.empty() && std::none_of(items_.begin(), items_.end(),
                                                        [](const Item& item) { return item.left.flight; });
    if (cluster_.cycles_broken() && !stuck) return;
    Scratch::Lease lease(storage_.scratch);
    std::pmr::vector<BlockedMove> blocked(lease.memory());
    blocked.reserve(blocked_.size());
    for (const StillBlocked& known : blocked_) blocked.push_back(known.move);
    FreeRoom room(cluster_, std::move(storage_.landed));
    let_land(room);
    for (const BlockedMove& move : moves_to_break(std::move(blocked), room, cluster_.view().nodes.size()))
      emitter_.on_node(Save{{{}, move.job, {}}, move.from}, move.task);
    storage_.landed = room.take_promises();
    storage_.landed.clear();
  }

  // To the room there will be once every VM but the blocked ones is where it is wanted, or gone.
  void let_land(FreeRoom& room) const {
    auto blocked = blocked_.begin();  // in the same order: by job, then by task
    for (const auto& [id, job, record_of, left, in_step, delayed, changed_in] : items_) {
      const JobRecord& record = *record_of;
      const Demand& demand = record.submission->demand;
      const bool runs = job && job->phase == Phase::running;
      const Cpu planned = runs ? demand.need * job->yield : Cpu{};
      for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task) {
        const Vm& vm = record.vms[task];
        if (blocked != blocked_.end() && blocked->move.job == id && blocked->move.task == task) {
          ++blocked;
          continue;
        }
        const bool stays = runs && exists(vm);
        if (stays && !vm.flight && vm.node == vm.wanted && vm.cap == job->yield) continue;
        for_each_charge(demand, vm, [&](NodeId node, const NodeCharge& c) { room.give(node, c); });
        const Cpu cpu = vm.state == VmState::running ? planned : Cpu{};
        if (stays) room.take(vm.wanted, {demand.memory * vm.units, cpu * vm.units});
      }
    }
  }

  // Is nothing to be brought or capped first, so that the job can be released or its caps be raised? What
  // is, is set about.
  [[nodiscard]] bool is_complete(const Job& job, const JobRecord& record) {
    bool complete = true;
    for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task) {
      const Vm& vm = record.vms[task];
      if (vm.state == VmState::ended) continue;
      // For what runs nothing is set about: it can only tell that something is missing, which is known.
      if (!complete && vm.state == VmState::running) continue;
      const bool there = exists(vm);
      const bool here = there && vm.node == vm.wanted;
      const bool capped = vm.cap == job.yield && !vm.cap_stale;
      const bool free = free_to_act(vm);
      complete = complete && here && free && (capped || vm.state == VmState::running);
      if (!free || !answers(vm.wanted)) continue;
      if (!there)
        bring(job, record, task, vm);
      else if (here && vm.state == VmState::ready && !capped && job.yield >= vm.cap)
        emitter_.cap(job.id, task, job.yield);
    }
    return complete;
  }

  void grow_job(const Item& item) {
    const Job& job = *item.job;
    const JobRecord& record = *item.record;
    const Vm& first = record.vms.front();
    if (item.in_step && !exists(first) && brings_all(job, record)) return;
    const bool stands = item.in_step && exists(first) && first.cap == job.yield && !first.cap_stale;
    if (stands ? !free_to_act(first) : !is_complete(job, record)) return;
    if (std::ranges::any_of(telling(record, item.in_step), is_ready)) release(job, record, item.in_step);
    raise(job, record, item.in_step);
  }

  // A job in step of which nothing exists: all of it is brought, or it is told which tasks are one by one.
  bool brings_all(const Job& job, const JobRecord& record) {
    const Vm& first = record.vms.front();
    if (!free_to_act(first) || !record.devices.empty()) return false;
    const NodeCharge charge{job.demand.memory * first.units, Cpu{}};
    for (auto vm = record.vms.begin(); vm != record.vms.end(); ++vm) {
      if (!answers(vm->wanted) || !room_.fits(vm->wanted, charge)) {
        while (vm != record.vms.begin()) room_.give((--vm)->wanted, charge);
        return false;
      }
      room_.take(vm->wanted, charge);
    }
    if (first.state == VmState::saved)
      emitter_.all(record, Restore{{{}, job.id, {}}, wanted_nodes(record), job.yield});
    else
      emitter_.all(record, Create{{{}, job.id, {}}, wanted_nodes(record), job.yield});
    return true;
  }

  void bring(const Job& job, const JobRecord& record, std::uint32_t task, const Vm& vm) {
    const NodeCharge charge{job.demand.memory * vm.units, Cpu{}};
    if (!room_.fits(vm.wanted, charge)) return;
    if (!record.devices.empty()) {
      const std::uint16_t parts = job.demand.devices.parts;
      if (!room_.fits(vm.wanted, record.devices[task], parts)) return;
      room_.take(vm.wanted, record.devices[task], parts);
    }
    room_.take(vm.wanted, charge);
    if (vm.state == VmState::saved)
      emitter_.on_node(Restore{{{}, job.id, {}}, vm.wanted, job.yield}, task);
    else
      emitter_.on_node(Create{{{}, job.id, {}}, vm.wanted, job.yield}, task);
  }

  // Takes the CPU that `wish(vm)` asks for on every node of the job, or none at all. In step: they all ask
  // for the same.
  template <class Wish>
  bool take_cpu(const JobRecord& record, bool in_step, Wish wish) {
    const auto asked = [&](const Vm& vm) { return NodeCharge{Memory{}, std::max(wish(vm), Cpu{})}; };
    const NodeCharge same = asked(record.vms.front());
    const auto charge = [&](const Vm& vm) { return in_step ? same : asked(vm); };
    for (auto vm = record.vms.begin(); vm != record.vms.end(); ++vm) {
      const NodeCharge more = charge(*vm);
      if (more.cpu.raw == 0) continue;
      if (!answers(vm->node) || !room_.fits(vm->node, more)) {
        while (vm != record.vms.begin()) --vm, room_.give(vm->node, charge(*vm));
        return false;
      }
      room_.take(vm->node, more);
    }
    return true;
  }

  // A job of several tasks starts together: all its VMs stand ready, then all are released at once.
  void release(const Job& job, const JobRecord& record, bool in_step) {
    const auto wish = [&](const Vm& vm) {
      return is_ready(vm) ? job.demand.need * vm.cap * vm.units : Cpu{};
    };
    if (!take_cpu(record, in_step, wish)) return;
    if (in_step) return emitter_.all(record, Release{{{}, job.id, {}}});
    for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task)
      if (is_ready(record.vms[task])) emitter_.release(job.id, task);
  }

  void raise(const Job& job, const JobRecord& record, bool in_step) {
    const auto too_low = [&](const Vm& vm) {
      return vm.state == VmState::running && (vm.cap < job.yield || (vm.cap_stale && vm.cap == job.yield));
    };
    const auto more = [&](const Vm& vm) {
      return too_low(vm) ? (job.demand.need * job.yield - job.demand.need * vm.cap) * vm.units : Cpu{};
    };
    if (std::ranges::none_of(telling(record, in_step), too_low) || !take_cpu(record, in_step, more)) return;
    if (in_step) return emitter_.all(record, Cap{{{}, job.id, {}}, job.yield});
    for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task)
      if (too_low(record.vms[task])) emitter_.cap(job.id, task, job.yield);
  }

  const Cluster& cluster_;
  DiffStorage& storage_;
  const bool all_up_ = all_up(cluster_.view());
  FreeRoom room_;
  Emitter emitter_;
  std::vector<Item>& items_ = storage_.jobs;
  const std::vector<StillBlocked>& blocked_ = storage_.moves.blocked;
};

}  // namespace

std::vector<Action> diff(const Cluster& cluster, DiffStorage& storage) {
  if (cluster.all_settled()) return {};
  return Differ(cluster, storage).run();
}

}  // namespace aliquot
