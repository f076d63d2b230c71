// The two ways to change what sums are kept of: while the guard lives its job, or its VM, is out of the
// sums; when it goes it is put back as it is then. Private to the cluster's sources.
#pragma once

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

}  // namespace aliquot
