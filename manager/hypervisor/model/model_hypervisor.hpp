// The model backend of the hypervisor port: arithmetic, no clock, no thread. Work is yield x time.
//
// It is handed the present instant and keeps an agenda of what will happen. The simulator asks when
// something is due next, and takes what is due. Queries are answered truthfully, and every request is
// checked (ConformanceChecker). The only program that it runs is ModelWork. Deterministic.
#pragma once

#include <set>

#include "manager/hypervisor/model/immediate_actions.hpp"
#include "manager/hypervisor/model/timed_actions.hpp"

namespace aliquot {

class ModelHypervisor : public Hypervisor {
 public:
  ModelHypervisor(std::vector<Node> nodes, ModelOptions options);

  // Time goes on. Nothing may be due before `now`: take it first.
  void set_now(Instant now);
  // When something is due next; kNever if nothing is.
  [[nodiscard]] Instant next();
  // Something is going to happen, other than that nodes fail and are repaired for ever.
  [[nodiscard]] bool busy();
  // Goes on to `now` and returns all that happened until then, in order.
  [[nodiscard]] std::vector<Event> take_due(Instant now);
  // The same, into a vector whose memory is used again.
  void take_due(Instant now, std::vector<Event>& events);

  // `spec` may be null where the last spec of the job will do.
  void perform(const Action& action, std::shared_ptr<const JobSpec> spec) override;
  // What the job's program needs at full speed is another amount of CPU from now on. Its VMs have what they
  // had, which is another share of that. A spec with another need says the same.
  void change_need(JobId job, Cpu need);
  // What the program of this job really needs; to be said before its first VM is created.
  void set_true_needs(JobId job, TrueNeeds needs) { state_.true_needs[job] = std::move(needs); }
  // None: it does not run.
  [[nodiscard]] std::optional<ModelUse> use_of(JobId job);
  // The job's program has come to a step for so many tasks: while fewer run, it is slower by that part. 0:
  // it goes on at full speed with those that it has.
  void change_step(JobId job, std::uint32_t tasks);
  // The model knows where its VMs are; the rest of a spec changes only with a creation, or with the need.
  [[nodiscard]] bool needs_spec(const Action& action) const {
    return kind(action) == ActionKind::create || !state_.jobs.contains(head(action).job);
  }
  void inspect(std::vector<VmQuery> queries) override;
  // The manager has died, and the next one begins with this operation. It hears which nodes answer, and
  // nothing of what happened before: neither ends of tasks nor outcomes of actions.
  void outlive_manager(OpId next);
  void sample(NodeId node, SampleSink done) override;
  // The same, of these jobs alone.
  [[nodiscard]] std::vector<VmSample> samples_of(const std::set<JobId>& jobs, NodeId node);
  void forget(JobId job) override;
  // A node that the manager cannot reach is switched off: its VMs are lost. It comes back with the end of
  // its outage.
  void power_off(NodeId node) { lose_vms(node); }

  [[nodiscard]] const ConformanceChecker& checker() const { return state_.checker; }
  // VMs that exist or are saved: none once all jobs have ended.
  [[nodiscard]] std::size_t leftovers() const;
  // An injected fault has killed a VM of this job.
  [[nodiscard]] bool killed(JobId job) const { return killed_.contains(job); }

 private:
  void happen(const model::Completion& completion);
  void happen(const model::ActionEnd& end) { timed_.end(end); }
  void happen(const model::Crash& crash);
  void happen(const model::Leave& leave);
  void happen(const model::OutageEdge& edge);
  void happen(const model::LateReply& reply);
  // The VM has powered off, or died (no exit code). An action on it that is under way ends too.
  void end_vm(ModelJob& job, std::uint32_t task, std::optional<int> exit_code);
  void report_end(JobId job, std::uint32_t task, const ModelVm& vm);
  void lose_vms(NodeId node);
  // Of the VMs of the job on the node.
  void add_samples(JobId id, const ModelJob& job, NodeId node, std::vector<VmSample>& samples) const;
  void double_some(const std::vector<Event>& events);
  [[nodiscard]] Inspected look(const VmQuery& query) const;

  const bool immediate_;  // no action takes time, and nothing fails
  model::ModelState state_;
  model::ImmediateActions immediate_actions_{state_};
  model::TimedActions timed_{state_};
  std::vector<std::vector<TaskEnded>>
      held_back_;  // by node: ends that are not seen while it is unreachable
  std::set<JobId> killed_;
};

}  // namespace aliquot
