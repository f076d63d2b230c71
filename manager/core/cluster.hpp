// The state of the cluster and its jobs. A Cluster is changed by events, by adopting a plan and by
// issuing actions, and by nothing else. It is deterministic: the same calls give the same state, so the
// log of steps is a history that can be replayed.
//
// This class is the door to it: what it holds is described in cluster_state.hpp, and what each event does
// in job_transitions, vm_transitions and node_transitions. Not thread-safe: it belongs to the loop.
// Moved, never copied.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

// A job whose VMs are not where, or not as, the plan in force wants them.
struct PendingJob {
  JobId id;
  const Job* job;  // as the plan has it; null: it is leaving
  const JobRecord* record;
  PendingWork work;
  bool uniform;              // its VMs are (uniform.hpp)
  bool delayed;              // some VM waits before a failed action is tried again
  std::uint64_t changed_in;  // see DerivedJob
};

class Cluster {
 public:
  // A new cluster: nodes[i].id.raw == i.
  explicit Cluster(std::vector<Node> nodes);
  // A recovered one, from a snapshot. Scheduler::replay() then brings it up to date.
  explicit Cluster(CoreState state) : state_(std::move(state)) {}

  [[nodiscard]] const CoreState& state() const { return state_.core; }
  [[nodiscard]] const ClusterView& view() const { return state_.core.view; }
  // Null: there is no such job (any more).
  [[nodiscard]] const JobRecord* record(JobId job) const;
  [[nodiscard]] const ChargeLedger& ledger() const { return state_.ledger; }
  // What is used of the limits of accounts; empty while there are no limits.
  [[nodiscard]] const LimitUses& account_uses() const { return state_.uses; }
  // What a hypervisor needs to know to act on this job's VMs. The job must have a record.
  [[nodiscard]] std::shared_ptr<const JobSpec> spec(JobId job) const;

  // Time goes on, and never back: an earlier instant is taken as the present one.
  void advance(Instant now);
  void apply(const Event& event) { apply(std::span(&event, 1)); }
  void apply(std::span<const Event> events);
  // Ticks are counted from `base` on; the next is due at `next`.
  void set_ticks(Instant base, std::optional<Instant> next);
  // The plan must have passed check_plan on this very view.
  void adopt(const Plan& plan);
  // The same of a plan as steps record it.
  void adopt(const Decision& decision);
  // What has happened since the last decision; the next one starts anew.
  Cause take_cause() { return std::exchange(state_.cause(), {}); }
  void wake_at(std::optional<Instant> instant) { state_.core.wake_at = instant; }
  // The actions are on their way: in flight from now on.
  void issue(const std::vector<Action>& actions);
  void count_step() { ++state_.core.steps; }
  void name_policy(std::string spec) { state_.core.policy = std::move(spec); }

  // The jobs that have not converged to the plan in force.
  [[nodiscard]] bool has_converged() const { return state_.derived.pending().empty(); }
  // Appends them, in increasing id.
  void list_pending(std::vector<PendingJob>& jobs) const;
  // See ClusterState.
  [[nodiscard]] bool cycles_broken() const { return state_.cycles_broken; }
  // The VMs whose state is not known, for the hypervisor to inspect.
  [[nodiscard]] std::vector<VmQuery> unclear() const;
  // Jobs that have ended since this was last called.
  [[nodiscard]] std::vector<JobOutcome> take_ended() { return std::exchange(state_.ended, {}); }
  // The jobs of which a checkpoint is to be made now.
  [[nodiscard]] std::vector<JobId> due_checkpoints() const;
  // See size_transitions.hpp. Whether its number of tasks may change:
  [[nodiscard]] bool may_evolve(JobId job) const { return state_.evolving.contains(job); }
  [[nodiscard]] std::vector<TasksChanged> due_changes() const;
  [[nodiscard]] std::optional<TasksAdded> next_growth(bool slows_others) const;
  // See array_transitions.hpp: members of arrays, to be submitted in this step.
  [[nodiscard]] std::vector<Submitted> due_members() const;
  // When a time limit, a back-off, a checkpoint or a change of a job's number of tasks is due, at the
  // present rates; kNever if none is.
  [[nodiscard]] Instant next_timer() const;

 private:
  void take_over(const Plan& plan);

  ClusterState state_;
};

}  // namespace aliquot
