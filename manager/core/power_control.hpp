// The power policy beside the scheduler: it sees every step, remembers what it learns from it, and says
// what nodes are to go off or be woken, as events for the next step. Whoever has the levers (the
// simulator's model, later the daemon) carries out what the core has taken of it, and reports when a node
// is off or has booted. Deterministic; no clock, no effects.
#pragma once

#include <vector>

#include "monitor/record/step.hpp"
#include "policies/power/decision.hpp"

namespace aliquot {

class PowerControl {
 public:
  explicit PowerControl(power::PowerSettings settings) : settings_(settings) {}

  // Call it before a step with the view that the last step left, and add what it returns to the events of
  // the step: nodes for the jobs that are submitted with it boot at once, and the policy may place the jobs
  // on them.
  [[nodiscard]] std::vector<PowerChanged> before_step(const std::vector<Event>& events,
                                                      const ClusterView& view) const;
  // Call it after every step with the view that the step left. A node is asked for at most once at one
  // instant: what the core ignores, because something is still on the node, is said again later.
  [[nodiscard]] std::vector<PowerChanged> after_step(const Step& step, const ClusterView& view);
  // What it has learned; and to go on from what was learned before, or after steps that it has not seen.
  [[nodiscard]] const power::PowerMemory& memory() const { return memory_; }
  void resume(power::PowerMemory memory, Instant now);

  // When a step is to be made even if nothing happens; kNever: not before something happens.
  [[nodiscard]] Instant next_due() const { return decision_.ask_again; }

  [[nodiscard]] const power::PowerSettings& settings() const { return settings_; }
  // From the next step on.
  void use(power::PowerSettings settings) { settings_ = settings; }
  // Of the last step: why each node is as it is.
  [[nodiscard]] const power::PowerDecision& decision() const { return decision_; }

 private:
  power::PowerSettings settings_;
  power::PowerMemory memory_;
  power::PowerDecision decision_;
  std::vector<Instant> asked_;  // by node
};

}  // namespace aliquot
