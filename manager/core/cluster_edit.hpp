// The ways to change what sums are kept of: while the guard lives its job, or its VM, is out of the
// sums; when it goes it is put back as it is then. Private to the cluster's sources.
#pragma once

#include <utility>

#include "manager/core/cluster.hpp"

namespace aliquot {

// A job as policies see it: the sums of the view's index.
class Cluster::PlanEdit {
 public:
  PlanEdit(ClusterView& view, const Job& job) : view_(view), job_(job) { view_.index.remove(view_, job_); }
  PlanEdit(const PlanEdit&) = delete;
  PlanEdit& operator=(const PlanEdit&) = delete;
  ~PlanEdit() { view_.index.add(view_, job_); }

 private:
  ClusterView& view_;
  const Job& job_;
};

// What a VM holds: the charges of the nodes; and its job's tally. Its job is open.
class Cluster::VmEdit {
 public:
  VmEdit(Cluster& cluster, Side& side, Vm& vm)
      : cluster_(cluster), side_(side), vm_(vm), before_(held_by(side.record->submission->demand, vm)) {
    if (side.counted) traits_ = traits(side.job, vm), cap_ = vm.cap;
    if (with_devices()) cluster_.charge_devices(*side_.record, vm_, -1);
  }
  VmEdit(const VmEdit&) = delete;
  VmEdit& operator=(const VmEdit&) = delete;
  ~VmEdit() {
    const VmHeld after = held_by(side_.record->submission->demand, vm_);
    const bool same = before_.each == after.each;  // where it stays nothing changes
    for (std::uint32_t k = 0; k < before_.count; ++k)
      if (const NodeId node = before_.nodes[k]; !(same && after.on(node)))
        cluster_.discharge(node, before_.each);
    for (std::uint32_t k = 0; k < after.count; ++k)
      if (const NodeId node = after.nodes[k]; !(same && before_.on(node)))
        cluster_.charge(node, after.each);
    if (with_devices()) cluster_.charge_devices(*side_.record, vm_, 1);
    if (!side_.counted) return;
    side_.tally.change(traits_, traits(side_.job, vm_));
    if (vm_.cap != cap_ || vm_.state == VmState::ended) side_.tally.forget_lowest();
  }

 private:
  [[nodiscard]] bool with_devices() const { return !side_.record->devices.empty(); }

  Cluster& cluster_;
  Side& side_;
  const Vm& vm_;
  const VmHeld before_;
  std::uint32_t traits_ = 0;  // as they were
  Yield cap_;                 // as it was
};

// One VM that stands somewhere else than it is wanted and holds no devices begins to move, or has moved:
// what it holds is the same at both ends, and one of them is added or taken off.
class Cluster::VmMove {
 public:
  // Nothing else is to be said of its beginning, or of its end.
  [[nodiscard]] static bool is_plain(const Side& side, const Vm& vm) {
    return exists(vm) && vm.node != vm.wanted && side.record->devices.empty() &&
           (!vm.flight || vm.flight->kind == ActionKind::migrate);
  }
  VmMove(Cluster& cluster, Side& side, Vm& vm) : cluster_(cluster), side_(side), vm_(vm), from_(vm.node) {
    const Demand& demand = side.record->submission->demand;
    each_.memory = demand.memory * vm.units;
    if (vm.state == VmState::running) each_.cpu = demand.need * vm.cap * vm.units;
    if (!vm.flight || !side.counted) return;
    plain_ = side.job && side.job->phase == Phase::running && vm.has_run && vm.failures == 0 &&
             !vm.unclear && vm.not_before <= Instant{};
    if (!plain_) traits_ = traits(side.job, vm);
  }
  // It is unsettled already: it stands where it is not wanted.
  void has_begun() const {
    cluster_.charge(vm_.flight->to, each_);
    if (side_.counted) side_.tally.change(0, bit(Trait::under_way, true));
  }
  void has_landed() const {
    cluster_.discharge(from_, each_);
    if (!side_.counted) return;
    constexpr std::uint32_t moving =
        bit(Trait::under_way, true) | bit(Trait::unsettled, true) | bit(Trait::moves, true);
    const std::uint32_t after = traits(side_.job, vm_);
    side_.tally.change(plain_ ? after | moving : traits_, after);
  }

 private:
  Cluster& cluster_;
  Side& side_;
  const Vm& vm_;
  NodeCharge each_;
  const NodeId from_;
  bool plain_ = false;        // on its way it has the same traits as after it, but that it moves
  std::uint32_t traits_ = 0;  // on its way, otherwise
};

// The same change of all VMs of a job that is in step, and stays so but perhaps for their nodes: what one
// of them holds more is what each does. change(vm, task) may put a VM on a node only if it held nothing
// before.
template <class Change>
void Cluster::change_all(Side& side, Change change) {
  JobRecord& record = *side.record;
  const auto total = [&record](const Vm& vm) {
    NodeCharge sum;
    for_each_charge(record.submission->demand, vm, [&sum](NodeId, const NodeCharge& charge) {
      sum.memory += charge.memory;
      sum.cpu += charge.cpu;
    });
    return sum;
  };
  const bool by_sum = record.devices.empty();
  const NodeCharge before = total(record.vms.front());
  for (std::uint32_t task = 0, count = vm_count(record); task < count; ++task) {
    if (!by_sum) charge(record, record.vms[task], -1);
    change(record.vms[task], task);
    if (!by_sum) charge(record, record.vms[task], 1);
  }
  const NodeCharge after = total(record.vms.front());
  const NodeCharge more{after.memory - before.memory, after.cpu - before.cpu};
  if (!by_sum || (more.memory.raw == 0 && more.cpu.raw == 0)) return;
  const bool frees = more.memory.raw < 0 || more.cpu.raw < 0;
  for (const Vm& vm : record.vms) {
    charge(vm.node, more);
    if (frees) books_[vm.node.raw].freed_in = version_;
  }
}

}  // namespace aliquot
