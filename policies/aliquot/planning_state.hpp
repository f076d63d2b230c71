// The state of an ALIQUOT decision while it is worked out: the draft, the prediction for every placed job,
// the CPU that every node has allocated, and what the policy remembers. The rules of the policy read and
// change it one after the other. What it says of jobs it says of those at issue (JobsAtIssue).
#pragma once

#include <optional>
#include <vector>

#include "policies/aliquot/by_entry.hpp"
#include "policies/aliquot/jobs_at_issue.hpp"
#include "policies/aliquot/policy_state.hpp"
#include "policies/aliquot/prediction.hpp"
#include "policies/aliquot/spec.hpp"
#include "policies/draft.hpp"

namespace aliquot {

class PlanningState {
 public:
  // Of the jobs at issue. These and the options must outlive the state.
  PlanningState(const ClusterView& view, const AliquotSpec& spec, const JobsAtIssue& at_issue);

  [[nodiscard]] Draft& draft() { return draft_; }
  [[nodiscard]] const Draft& draft() const { return draft_; }
  [[nodiscard]] const ClusterView& view() const { return draft_.view(); }
  [[nodiscard]] const AliquotSpec& spec() const { return spec_; }
  [[nodiscard]] const JobsAtIssue& at_issue() const { return at_issue_; }

  // What the policy remembers of the cluster: its tokens, and when it last rebalanced and repacked.
  [[nodiscard]] AliquotState& memory() { return memory_; }
  [[nodiscard]] const AliquotState& memory() const { return memory_; }
  // When each job that is not placed may preempt others again.
  [[nodiscard]] ByEntry<Retry>& retries() { return retries_; }
  [[nodiscard]] const ByEntry<Retry>& retries() const { return retries_; }
  // Jobs wait for memory.
  [[nodiscard]] bool any_retries() const {
    return !retries_.empty() || !at_issue_.retries_left_out().empty();
  }
  // The job is paused or moved in this decision.
  void displace(std::size_t i, const Displacement& why) { displaced_[i] = why; }
  // All that the policy will remember, at the end of the decision.
  [[nodiscard]] PolicyMemory take_memory();

  // P in seconds, by which changes are judged. A small cost is taken to be larger than it is told, unless
  // an option sets it.
  [[nodiscard]] double cost() const { return cost_; }
  // What an action costs as the view tells it or an option sets it.
  [[nodiscard]] const ActionCosts& told_costs() const { return told_; }
  // The run time in seconds that is expected of every job at least.
  [[nodiscard]] double shortest() const { return to_seconds(spec_.short_job); }
  // The seconds that a job loses when it gets another place: P, or what moves cost if it runs now; none if
  // it has not started.
  [[nodiscard]] double cost_of_change(const Job& job) const;
  // The seconds without progress that a placed job has ahead of it, by the costs as they are told.
  [[nodiscard]] double penalty_of(std::size_t i) const;

  // Of the placed jobs; the predictions for other entries mean nothing.
  [[nodiscard]] Predictions predictions() const { return predictions_; }
  // Of any job: as it is placed now, otherwise as before this decision.
  [[nodiscard]] Prediction prediction(std::size_t i) const {
    return draft_.placed(i) ? predictions_[i] : as_before(i);
  }
  [[nodiscard]] Prediction as_before(std::size_t i) const;
  // The prediction if it gets another place now: with a penalty, unless it has not started or serves a
  // penalty of this decision already.
  [[nodiscard]] Prediction as_changed(std::size_t i) const;
  // The stretch of a job that gets no place now.
  [[nodiscard]] double pred_if_left_out(std::size_t i) const;

  // Neither placed, held nor fixed, and the nodes that are up could hold it if they were empty.
  [[nodiscard]] bool could_run(std::size_t i) const;

  // Where the job would go: on the nodes that have allocated the least CPU, all tasks or none.
  [[nodiscard]] std::optional<Placement> placement_for(std::size_t i);
  // Places the job there; a job that is resumed has P to serve. False: it does not fit.
  bool place(std::size_t i);
  // The same at a place, and with a prediction, that the caller knows.
  void put(std::size_t i, Shares where, const Prediction& prediction);
  void remove(std::size_t i);
  // Frees the CPU of a job that the draft has removed already from its placement in force.
  void free_cpu_of(std::size_t i);

 private:
  void allocate_in_force();
  // The CPU that counts as allocated for each task of a job that is placed.
  [[nodiscard]] Cpu allocated_to_task(std::size_t i) const;
  void allocate(Cpu each, Shares where);

  const JobsAtIssue& at_issue_;
  Draft draft_;
  const AliquotSpec& spec_;
  AliquotState memory_;  // what it knows of single jobs is in the next three, by entry
  ByEntry<Retry> retries_;
  ByEntry<Instant> stalled_until_;
  ByEntry<Displacement> displaced_;
  const ActionCosts told_;
  const double cost_;
  const double cost_of_move_;
  std::vector<Prediction> predictions_;
  // The yield at which a job counts in the CPU that its nodes have allocated: that in force, or full for a
  // job that was placed just now.
  std::vector<Yield> assumed_yields_;
  std::vector<Cpu> allocated_;  // by node; of a job of a weight below 1 so much less
};

}  // namespace aliquot
