// The heartbeat shared by the manager and the simulator: events in, one decision at most, actions out.
//
// The caller performs the actions of the returned step (the manager: once it is durable) and hands what
// comes of them to a later round, at the same instant or later. No clock, no effects: `now` is handed in,
// and the stopwatch only measures how long the decision took, for the report.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manager/core/diff.hpp"
#include "policies/policy.hpp"

namespace aliquot {

class Scheduler {
 public:
  using Stopwatch = std::function<std::int64_t()>;  // nanoseconds, monotonic; may be empty

  // The cluster may be new or recovered; a recovered one is brought up to date with replay() first.
  Scheduler(Cluster cluster, std::unique_ptr<Policy> policy, Stopwatch stopwatch = {});

  // One turn: applies the events (in the order of their kinds, then of their jobs) and the timers that are
  // due, asks the policy if some event calls for it and the mode lets it, checks and adopts the plan.
  [[nodiscard]] Step round(Instant now, std::vector<Event> events);
  // What held the actions of a step that nobody looks at any more is to hold those of a later one.
  void reuse(std::vector<Action> actions);
  // Does what the recorded step did, deciding nothing.
  void replay(const Step& step);

  // When round() is to be called even if nothing happens; kNever: only if something does.
  [[nodiscard]] Instant next_due() const;
  // What the policy would change now if everything that waits had just arrived. Changes nothing.
  [[nodiscard]] Plan preview() const;

  [[nodiscard]] const Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const Policy& policy() const { return *policy_; }

 private:
  void add_due_timers(std::vector<Event>& events) const;
  void apply(const std::vector<Event>& events);
  void use(std::unique_ptr<Policy> policy);
  void follow_ticks();
  void decide(Decision& decision);  // an empty one

  Cluster cluster_;
  std::unique_ptr<Policy> policy_;
  std::string policy_name_;
  std::optional<Duration> period_;  // the policy's
  Stopwatch stopwatch_;
  DiffStorage diff_storage_;
  std::vector<Event> spare_events_;  // memory
  Scratch check_scratch_;
};

}  // namespace aliquot
