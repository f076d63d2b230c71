// A view of nodes of several hypervisor kinds, divided into one view for each kind.
//
// The view of a kind has all nodes under their numbers, so that neighbours stay neighbours; those of other
// kinds are empty and removed. It has the jobs that are bound to the kind, and the free jobs that are
// offered to it. A free job is one that may be started on any kind: it waits, and no VM of it exists.
//
// To which kind a free job is offered: it stays with the kind that is remembered for it. A new one goes to
// the kind with the least CPU load, its own included, relative to the capacity of the nodes that are up;
// load is what the jobs bound or offered there need. Only kinds count whose empty nodes could hold the job:
// nodes that are up if that is possible on any kind, else all nodes. Ties: in the order of the kinds.
#pragma once

#include <vector>

#include "policies/kinds/kinds_state.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

class Division {
 public:
  // Refers to the view, which must outlive it.
  explicit Division(const ClusterView& view);

  // The kinds that some node is of, in their order.
  [[nodiscard]] const std::vector<HypervisorKind>& kinds() const { return kinds_; }
  [[nodiscard]] bool has_nodes(HypervisorKind kind) const;
  // The kind that the job is bound or offered to.
  [[nodiscard]] HypervisorKind kind_of(JobId job) const { return homes_.at(job); }
  // Jobs that may be started on any kind, in the order of submission.
  [[nodiscard]] const std::vector<JobId>& free_jobs() const { return free_; }
  // Offers a free job to another kind, to which it is as one that has just arrived.
  void offer(JobId job, HypervisorKind kind);

  [[nodiscard]] ClusterView view_of(HypervisorKind kind) const;
  // Whether the nodes of the kind that are up could hold the job if they were empty.
  [[nodiscard]] bool could_hold(HypervisorKind kind, const Demand& demand) const;

 private:
  [[nodiscard]] bool holds(HypervisorKind kind, const Demand& demand, bool usable_only) const;
  [[nodiscard]] std::vector<HypervisorKind> candidates(const Demand& demand) const;
  [[nodiscard]] HypervisorKind least_loaded(const std::vector<HypervisorKind>& kinds, Cpu need) const;
  void take_nodes();
  void take_jobs();
  [[nodiscard]] std::optional<HypervisorKind> remembered_offer(JobId job) const;
  void add_to(const Job& job, HypervisorKind kind);

  const ClusterView& view_;
  const KindsState* const remembered_;  // null: nothing
  std::vector<HypervisorKind> kinds_;
  PerKind<std::vector<Node>> nodes_;  // as the view of the kind has them
  PerKind<Cpu> capacity_;             // of the nodes that are up
  PerKind<Cpu> load_;
  FlatMap<JobId, HypervisorKind> homes_;
  std::vector<JobId> free_;
  std::vector<JobId> moved_;  // offered to another kind than before; increasing
};

}  // namespace aliquot
