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

// What a VM holds: the charges of the nodes. Its job is open.
class Cluster::VmEdit {
 public:
  VmEdit(Cluster& cluster, Side& side, Vm& vm) : cluster_(cluster), record_(*side.record), vm_(vm) {
    cluster_.charge(record_, vm_, -1);
  }
  VmEdit(const VmEdit&) = delete;
  VmEdit& operator=(const VmEdit&) = delete;
  ~VmEdit() { cluster_.charge(record_, vm_, 1); }

 private:
  Cluster& cluster_;
  const JobRecord& record_;
  const Vm& vm_;
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
  for (std::uint32_t task = 0; task < record.vms.size(); ++task) {
    if (!by_sum) charge(record, record.vms[task], -1);
    change(record.vms[task], task);
    if (!by_sum) charge(record, record.vms[task], 1);
  }
  const NodeCharge after = total(record.vms.front());
  const NodeCharge more{after.memory - before.memory, after.cpu - before.cpu};
  if (!by_sum || (more.memory.raw == 0 && more.cpu.raw == 0)) return;
  for (const Vm& vm : record.vms) {
    charges_[vm.node.raw].memory += more.memory;
    charges_[vm.node.raw].cpu += more.cpu;
  }
}

}  // namespace aliquot
