// One step of the manager or of the simulator: events in, at most one decision, actions out.
//
// The caller performs the actions of the returned step (the manager does so when the step is on disk) and
// hands their outcomes to a later round, at the same instant or later. The scheduler has no clock and no
// effects: `now` is handed in, and the stopwatch only measures how long a decision takes, for reports.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manager/core/diff.hpp"
#include "policies/policy.hpp"

namespace aliquot {

// Stands for the policy in the decision of a step in which an operator has applied a saved plan.
inline constexpr const char* kByOperator = "operator";

class Scheduler {
 public:
  using Stopwatch = std::function<std::int64_t()>;  // nanoseconds, monotonic; may be empty
  // Runs a piece of work that reads the cluster and changes nothing, in this thread or in another one, and
  // returns when it is done. Empty: it is run here.
  using RunReading = std::function<void(const std::function<void()>& work)>;

  // The cluster may be new or recovered; a recovered one is brought up to date with replay() first.
  Scheduler(Cluster cluster, std::unique_ptr<Policy> policy, Stopwatch stopwatch = {});

  // Makes one step: applies the events (by kind, then by job) and the timers that are due, asks the
  // policy if an event calls for a decision and the mode allows it, checks and adopts the plan, and
  // chooses actions. A plan that an operator has applied takes the place of the policy's. The policy is
  // asked by `run`.
  [[nodiscard]] Step round(Instant now, std::vector<Event> events, const RunReading& run = {});
  // Takes back the memory of the actions of a step that is not needed any more, for a later step.
  void reuse(std::vector<Action> actions);
  // Repeats a recorded step without deciding anew. Error: the step names what does not exist
  // (recorded.hpp); the cluster is then of no use any more.
  [[nodiscard]] Result<void> replay(const Step& step);

  // When round() is to be called even if nothing happens; kNever: not before something happens.
  [[nodiscard]] Instant next_due() const;
  // The plan that the policy would make now if all waiting jobs had just arrived. Changes nothing.
  [[nodiscard]] Plan preview() const;

  [[nodiscard]] const Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const Policy& policy() const { return *policy_; }

 private:
  void add_due_timers(std::vector<Event>& events) const;
  void apply(const std::vector<Event>& events);
  void grow(std::vector<Event>& events);
  void make_members(std::vector<Event>& events);
  void use(std::unique_ptr<Policy> policy);
  void follow_ticks();
  void decide(Decision& decision, const RunReading& run);
  void take_plan(const PlanApplied& applied, Decision& decision);

  Cluster cluster_;
  std::unique_ptr<Policy> policy_;
  std::string policy_name_;
  std::optional<Duration> period_;  // the policy's
  Stopwatch stopwatch_;
  DiffStorage diff_storage_;
  std::vector<Event> spare_events_;  // memory that is used again
};

}  // namespace aliquot
