#include "manager/core/power_control.hpp"

#include <utility>

namespace aliquot {

std::vector<PowerChanged> PowerControl::before_step(const std::vector<Event>& events,
                                                    const ClusterView& view) const {
  std::vector<Demand> arriving;
  for (const Event& event : events)
    if (const auto* submitted = std::get_if<Submitted>(&event))
      arriving.push_back(submitted->submission->demand);
  std::vector<PowerChanged> wakes;
  if (arriving.empty() || memory_.nodes.size() != view.nodes.size()) return wakes;
  const power::PowerDecision decision = power::decide_power(view, settings_, memory_, arriving);
  for (const Node& node : view.nodes) {
    const power::NodeVerdict& verdict = decision.verdicts[node.id.raw];
    if (verdict.next == NodePower::waking && node.power == NodePower::off)
      wakes.push_back({node.id, verdict.next, power::text_of(verdict, node.power, view.now)});
  }
  return wakes;
}

void PowerControl::resume(power::PowerMemory memory, Instant now) {
  memory_ = std::move(memory);
  power::resume(memory_, now);
  decision_ = {};
}

std::vector<PowerChanged> PowerControl::after_step(const Step& step, const ClusterView& view) {
  for (const Event& event : step.events)
    if (const auto* submitted = std::get_if<Submitted>(&event))
      power::learn(memory_, view, submitted->submission->demand);
  for (const JobOutcome& outcome : step.ended)
    if (outcome.result == JobResult::completed)
      memory_.stretch.see(outcome.ended, outcome.ended - outcome.submitted, outcome.virtual_time,
                          settings_.boot);
  power::observe(memory_, view);
  decision_ = power::decide_power(view, settings_, memory_);
  asked_.resize(view.nodes.size(), Instant{-1});
  std::vector<PowerChanged> wishes;
  for (const Node& node : view.nodes) {
    const power::NodeVerdict& verdict = decision_.verdicts[node.id.raw];
    if (verdict.next == node.power || asked_[node.id.raw] == view.now) continue;
    asked_[node.id.raw] = view.now;
    wishes.push_back({node.id, verdict.next, power::text_of(verdict, node.power, view.now)});
  }
  return wishes;
}

}  // namespace aliquot
