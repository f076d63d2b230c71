// Follows what the users of a cluster are granted, and says which weights their jobs are to have: as an
// event, when some weight has changed by enough. So a replay, and a manager that was restarted, decide by
// the same weights. One for the manager and the simulator.
//
// What is granted is what the plan in force gives: the needs of the placed jobs times their yields. Users
// are active while jobs of theirs run or wait that are not held. Members of an array that have not been
// made yet count for nothing, and neither do jobs that ended before they ran. Pure: instants are
// parameters.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "manager/core/cluster.hpp"
#include "monitor/record/step.hpp"
#include "policies/fairness/fair_share.hpp"

namespace aliquot {

class FairShareWatch {
 public:
  // The jobs of the cluster keep the weights that they have until these are looked at.
  FairShareWatch(fairness::FairShare fair_share, const Cluster& cluster);

  // What the last step has changed.
  void follow(const Cluster& cluster, Instant now);
  // The jobs that have ended in the step.
  void count_ended(const Step& step);
  // When weights are to be looked at again; kNever: no user is active.
  [[nodiscard]] Instant next_due() const { return next_due_; }
  // If that is due: adds the event that tells the weights that have changed, if any have.
  void observe(Instant now, const Cluster& cluster, std::vector<Event>& events);
  // Of a job that is submitted now: as other jobs of its user have it.
  [[nodiscard]] Weight weight_of(const fairness::AccountUser& user, const Cluster& cluster, Instant now);

  [[nodiscard]] fairness::FairShare& fair_share() { return fair_share_; }
  [[nodiscard]] const fairness::FairShare& fair_share() const { return fair_share_; }
  // Weights are to be looked at with the next call of observe(): shares have changed.
  void look_again(Instant now) { next_due_ = now; }

 private:
  fairness::FairShare fair_share_;
  std::map<fairness::AccountUser, Weight> in_force_;
  std::map<fairness::AccountUser, Cpu> granted_;  // after the last step
  Instant next_due_ = kNever;
};

// The users that have jobs which run or could, each once, in order, with the number of these.
[[nodiscard]] std::vector<fairness::ActiveUser> active_users(const Cluster& cluster);

}  // namespace aliquot
