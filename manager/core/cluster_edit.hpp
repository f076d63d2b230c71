// The one way to change a job as policies see it: while a PlanEdit lives the job is out of the sums of the
// view's index; when it goes the job is put back as it is then. Private to the cluster's sources.
#pragma once

#include "manager/core/cluster.hpp"

namespace aliquot {

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

}  // namespace aliquot
