// The state of the cluster with all that is kept beside it, and the edits that keep the two in agreement.
//
// `core` is what a snapshot stores. The ledger, the derived jobs and the index of the view follow from
// it. So a transition (job_transitions, vm_transitions, node_transitions) never writes to a job of the
// view or to a VM directly: it makes an edit. An edit takes the job, or the VM, out of all sums when it
// begins, and puts it back as it is then when it ends.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "manager/core/account_uses.hpp"
#include "manager/core/arrays.hpp"
#include "manager/core/deferred.hpp"
#include "manager/core/derived_jobs.hpp"

namespace aliquot {

// Moved, never copied: derived jobs point at the jobs of `core`.
struct ClusterState {
  explicit ClusterState(CoreState stored);
  ClusterState(const ClusterState&) = delete;
  ClusterState& operator=(const ClusterState&) = delete;
  ClusterState(ClusterState&&) = default;
  ClusterState& operator=(ClusterState&&) = default;
  ~ClusterState() = default;

  [[nodiscard]] Instant now() const { return core.view.now; }
  // What has happened since the last decision. The scheduler asks the policy if this is not empty.
  [[nodiscard]] Cause& cause() { return core.view.cause; }
  void update_derived() { derived.update(core.view, ledger.revision()); }
  void update_all_derived() { derived.update_all(core.view, ledger.revision()); }

  CoreState core;
  ChargeLedger ledger;
  DerivedJobs derived;
  std::set<JobId> limited;   // jobs of the view that have a limit (time_limits.hpp)
  std::set<JobId> evolving;  // jobs of the view whose number of tasks may change
  std::set<std::pair<Instant, JobId>>
      cooling;  // jobs that have been moved, by the ends of their cool-downs
  Deferred deferred;
  Arrays arrays;
  LimitUses uses;
  std::vector<JobOutcome> ended;  // not taken yet
  // The moves of the plan in force that wait for each other have been broken, and no action has failed
  // and no node has changed since.
  bool cycles_broken = false;
};

// Around a change of a job as policies see it: keeps the index of the view.
class JobEdit {
 public:
  JobEdit(ClusterState& state, const Job& job) : view_(state.core.view), job_(job) {
    view_.index.remove(view_, job_);
  }
  JobEdit(const JobEdit&) = delete;
  JobEdit& operator=(const JobEdit&) = delete;
  ~JobEdit() { view_.index.add(view_, job_); }

 private:
  ClusterView& view_;
  const Job& job_;
};

// Around a change of one VM: keeps the ledger and the counters of its job, which has been touched.
class VmEdit {
 public:
  VmEdit(ClusterState& state, DerivedJob& job, Vm& vm)
      : ledger_(state.ledger), job_(job), vm_(vm), before_(charge_of(demand(), vm)) {
    if (job_.counted) traits_ = traits(job_.job, vm_), cap_ = vm_.cap, joins_ = vm_.joins;
    if (has_devices()) ledger_.discharge_devices(*job_.record, vm_);
  }
  VmEdit(const VmEdit&) = delete;
  VmEdit& operator=(const VmEdit&) = delete;
  ~VmEdit() {
    ledger_.replace(before_, charge_of(demand(), vm_));
    if (has_devices()) ledger_.charge_devices(*job_.record, vm_);
    if (!job_.counted) return;
    job_.counters.change(traits_, traits(job_.job, vm_));
    if (vm_.cap != cap_ || vm_.joins != joins_ || vm_.state == VmState::ended)
      job_.counters.forget_lowest_cap();
  }

 private:
  [[nodiscard]] const Demand& demand() const { return job_.record->submission->demand; }
  [[nodiscard]] bool has_devices() const { return !job_.record->devices.empty(); }

  ChargeLedger& ledger_;
  DerivedJob& job_;
  const Vm& vm_;
  const VmCharge before_;
  Traits traits_ = 0;  // before
  Yield cap_;          // before
  bool joins_ = false;
};

// The same for the begin or the end of a live migration. A repacking migrates thousands of VMs, and here
// less has to be done than in a VmEdit: the VM holds the same at both ends, so one end is charged or
// discharged.
class MigrationEdit {
 public:
  // Nothing but the migration happens to this VM, and it has no devices.
  [[nodiscard]] static bool is_enough(const DerivedJob& job, const Vm& vm) {
    return exists(vm) && vm.node != vm.wanted && job.record->devices.empty() &&
           (!vm.flight || vm.flight->kind == ActionKind::migrate);
  }
  MigrationEdit(ClusterState& state, DerivedJob& job, Vm& vm)
      : ledger_(state.ledger), job_(job), vm_(vm), from_(vm.node) {
    const Demand& demand = job.record->submission->demand;
    each_.memory = demand.memory * vm.units;
    if (vm.state == VmState::running) each_.cpu = demand.need * vm.cap * vm.units;
    if (!vm.flight || !job.counted) return;
    plain_ = job.job && job.job->phase == Phase::running && vm.has_run && vm.failures == 0 && !vm.unclear &&
             vm.not_before <= Instant{};
    if (!plain_) traits_ = traits(job.job, vm);
  }
  // The VM was pending before: it is not where it is wanted.
  void has_begun() const {
    ledger_.charge(vm_.flight->to, each_);
    if (job_.counted) job_.counters.change(0, bit(Trait::in_flight));
  }
  void has_ended() const {
    ledger_.discharge(from_, each_);
    if (!job_.counted) return;
    constexpr Traits migrating = bit(Trait::in_flight) | bit(Trait::pending) | bit(Trait::moves);
    const Traits after = traits(job_.job, vm_);
    job_.counters.change(plain_ ? after | migrating : traits_, after);
  }

 private:
  ChargeLedger& ledger_;
  DerivedJob& job_;
  const Vm& vm_;
  NodeCharge each_;
  const NodeId from_;
  bool plain_ = false;  // its traits before are those after, and `migrating`
  Traits traits_ = 0;   // before, if it is not plain
};

// Where the VMs of a uniform job stand, or are about to: place(node, number of them). Those of a job that
// is to run stand as it is placed, and a placement is shorter than a list of VMs, and read faster.
template <class Place>
void each_place(const DerivedJob& job, Place place) {
  const JobRecord& record = *job.record;
  if (job.job && job.job->phase == Phase::running) {
    const std::int64_t units = record.vms.front().units;
    for (const Share& share : job.job->placement) place(share.node, share.units / units);
  } else {
    for (const Vm& vm : record.vms) place(vm.node, 1);
  }
}

// Makes the same change to all VMs of a uniform job: each then holds as much more as the first.
// change(vm, task) may put a VM on a node only if it held nothing before.
template <class Change>
void edit_all(ClusterState& state, DerivedJob& job, Change change) {
  JobRecord& record = *job.record;
  ChargeLedger& ledger = state.ledger;
  if (!record.devices.empty()) {
    for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task) {
      ledger.discharge(record, record.vms[task]);
      change(record.vms[task], task);
      ledger.charge(record, record.vms[task]);
    }
    return;
  }
  const auto held = [&record](const Vm& vm) {
    const VmCharge charge = charge_of(record.submission->demand, vm);
    NodeCharge sum;
    for (std::size_t place = 0; place < charge.places().size(); ++place) sum += charge.each;
    return sum;
  };
  const NodeCharge before = held(record.vms.front());
  for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task)
    change(record.vms[task], task);
  const NodeCharge more = held(record.vms.front()) - before;
  if (more == NodeCharge{}) return;
  const bool frees = more.memory.raw < 0 || more.cpu.raw < 0;
  each_place(job, [&](NodeId node, std::int64_t vms) {
    ledger.charge(node, more * vms);
    if (frees) ledger.mark_freed(node);
  });
}

}  // namespace aliquot
