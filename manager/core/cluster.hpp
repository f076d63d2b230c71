// The only mutable state. Changed by events, by adopting a plan, and by noting the actions that were
// issued; everything else reads it. Deterministic: the same calls give the same state, so a log of steps
// is a history that can be replayed.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "manager/core/state.hpp"
#include "manager/hypervisor/hypervisor.hpp"

namespace aliquot {

// What stands on a node or is on its way there or away: the physical charge, not the plan's.
struct NodeCharge {
  Memory memory;
  Cpu cpu;
};

class Cluster {
 public:
  // A new cluster: nodes[i].id.raw == i.
  explicit Cluster(std::vector<Node> nodes);
  // A recovered one: a snapshot, to be followed by replay() of the steps since.
  explicit Cluster(CoreState state);

  [[nodiscard]] const CoreState& state() const { return state_; }
  [[nodiscard]] const ClusterView& view() const { return state_.view; }
  [[nodiscard]] const JobRecord* record(JobId job) const;
  [[nodiscard]] const NodeCharge& charge(NodeId node) const { return charges_[node.raw]; }

  // Time goes on; it never goes back (an earlier instant is taken as the present one).
  void advance(Instant now);
  void apply(const Event& event);
  // The plan must have passed check_plan on this very view.
  void adopt(const Plan& plan);
  // The actions were issued: they are in flight from now on.
  void note(const std::vector<Action>& actions);
  void replay(const Step& step);

  // Jobs whose VMs are not where, or not as, the plan in force wants them.
  [[nodiscard]] const std::set<JobId>& unsettled() const { return unsettled_; }
  // The cause to be decided upon has been taken up by a decision.
  void clear_cause();
  [[nodiscard]] bool wants_decision() const;
  // Jobs that have ended since this was last called.
  [[nodiscard]] std::vector<JobOutcome> take_ended();
  // When a time limit or a back-off is due, at the rates of now; kNever if none is.
  [[nodiscard]] Instant next_timer() const;

 private:
  CoreState state_;
  std::vector<NodeCharge> charges_;
  std::set<JobId> unsettled_;
  std::vector<JobOutcome> ended_;
};

}  // namespace aliquot
