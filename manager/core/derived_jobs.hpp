// What the core derives from the VMs of each job: whether they are uniform, how many of them have which
// trait, whether the job has converged to the plan in force, and what policies are told of it (whether an
// action is in flight, whether it is pinned, how fast it progresses, to which hypervisor kind it is bound,
// to which nodes it is tied).
//
// A node that does not answer serves no time: the progress of its jobs stands still, as far as is known. If
// the node answers again and the VMs are found running, they are credited what they did meanwhile.
//
// Derived state is neither stored nor replayed. It is brought up to date in two steps: touch() before the
// VMs of a job are changed, update() after all changes of one call of the cluster. An event then costs
// what it changes. test/faults compares everything here with a look at all VMs after every step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "manager/core/pending_work.hpp"
#include "manager/core/ties.hpp"
#include "manager/hypervisor/hypervisor.hpp"

namespace aliquot {

struct DerivedJob {
  JobId id;
  JobRecord* record = nullptr;
  Job* job = nullptr;                           // as the view has it; null: it is leaving
  mutable std::shared_ptr<const JobSpec> spec;  // cached for hypervisors; null: to be made again

  bool uniform = false;  // known to be uniform; false: not known
  bool pending = false;  // it has not converged
  bool delayed = false;  // some VM waits before a failed action is tried again
  // The last revision in which anything changed, other than that a VM began to migrate to where it is
  // wanted or arrived there. What diff() has found out about the job stays true until then.
  std::uint64_t changed_in = 0;

  // Until update():
  bool touched = false;  // its VMs have been changed, or are about to be
  bool changed = false;  // see changed_in

  bool counted = false;     // the counters count all VMs; false: they were taken
                            // from one of them
  VmCounters counters;      // up to date if it is counted, or not touched
  Traits derived_from = 0;  // the traits from which the rest was derived

  explicit DerivedJob(JobId job_id, JobRecord& its_record, Job* its_job, std::uint64_t revision)
      : id(job_id), record(&its_record), job(its_job), changed_in(revision) {}
};

class DerivedJobs {
 public:
  // Null: there is no such job (any more).
  [[nodiscard]] DerivedJob* find(JobId job);
  [[nodiscard]] DerivedJob& at(JobId job) { return jobs_.at(job); }
  [[nodiscard]] const DerivedJob& at(JobId job) const { return jobs_.at(job); }
  // `job` is null if it is leaving. What is derived of it is known after the next update of it.
  DerivedJob& add(JobId id, JobRecord& record, Job* job, std::uint64_t revision);
  void erase(DerivedJob& job);

  // To be called before the VMs of a job are changed. `alike`: all of them are changed in the same way,
  // so that a uniform job stays uniform.
  void touch(DerivedJob& job, bool alike = false);
  // The same where the counters are kept up to date: by a VmEdit, or because all VMs are changed
  // together.
  void touch_counted(DerivedJob& job, bool alike);
  // Derives what follows from the changes, and writes into the view what policies are told.
  void update(ClusterView& view, std::uint64_t revision);
  // The same for one job, or for all from the beginning.
  void update(DerivedJob& job, ClusterView& view, std::uint64_t revision);
  void update_all(ClusterView& view, std::uint64_t revision);
  // The jobs that have to do with this node, by id: they stand there, or a VM of theirs does or is on its
  // way. What is derived of any other job does not follow from the node's state.
  [[nodiscard]] std::vector<DerivedJob*> on_node(const ClusterView& view, NodeId node);
  // Of these, from the beginning.
  void update_anew(std::span<DerivedJob* const> jobs, ClusterView& view, std::uint64_t revision);
  // The nodes are about to be of several hypervisor kinds: binds every job to the kind of its VMs.
  void bind_all(ClusterView& view);

  // The jobs that were touched since the last update.
  [[nodiscard]] const std::vector<DerivedJob*>& touched() const { return touched_; }
  // The jobs that have not converged, by id.
  [[nodiscard]] const std::vector<DerivedJob*>& pending() const { return pending_; }
  [[nodiscard]] bool any_delayed() const { return delayed_ > 0; }

 private:
  void update_anew(DerivedJob& job, ClusterView& view, std::uint64_t revision);
  [[nodiscard]] static bool only_migrates(const DerivedJob& job);
  [[nodiscard]] static Yield served_rate(DerivedJob& job, const ClusterView& view, Yield rate);
  static void follow_kind(const DerivedJob& job, ClusterView& view);
  static void follow_saves(const DerivedJob& job, ClusterView& view);
  void note_nodes_of(DerivedJob& job);
  void set_pending(DerivedJob& job, bool pending);
  void set_delayed(DerivedJob& job, bool delayed);

  IdTable<JobId, DerivedJob> jobs_;   // entries keep their addresses
  std::vector<DerivedJob*> pending_;  // by id
  std::vector<DerivedJob*> touched_;  // in the order of touch()
  std::size_t delayed_ = 0;           // jobs
  // Which jobs have to do with which node, by node. Kept until a job has changed, so that nodes that change
  // at once, by the hundreds, cost one look at all jobs. Of touched jobs it may be out of date.
  std::vector<std::pair<NodeId, DerivedJob*>> by_node_;
  bool by_node_known_ = false;
};

}  // namespace aliquot
