#include "policies/dfrs/greedy.hpp"

#include <algorithm>
#include <array>

#include "policies/dfrs/fair_yields.hpp"
#include "policies/dfrs/greedy_placement.hpp"
#include "policies/dfrs/preemption.hpp"
#include "policies/dfrs/priority.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

constexpr std::uint32_t kLargestExponent = 12;
constexpr std::array<const char*, 3> kNames = {"GREEDY", "GREEDY-PMTN", "GREEDY-PMTN-MIGR"};

bool has_arrived(const Cause& cause, JobId job) { return std::ranges::binary_search(cause.arrived, job); }

// Could run, and its retries are counted.
bool backs_off(const Draft& draft, const GreedyRules& rules, std::size_t i) {
  return rules.backs_off && (!rules.only_new || draft.job(i).phase == Phase::waiting);
}

// What is remembered of its attempts; its instant has come if there is nothing.
Retry retry_of(const ClusterView& view, JobId job) {
  const auto known = view.memory.retries.find(job);
  return known == view.memory.retries.end() ? Retry{} : known->second;
}

bool is_tried(const Draft& draft, const GreedyRules& rules, std::size_t i) {
  const ClusterView& view = draft.view();
  return rules.all || (rules.arrived && has_arrived(view.cause, draft.id(i))) ||
         (backs_off(draft, rules, i) && retry_of(view, draft.id(i)).not_before <= view.now);
}

// A job that the nodes which are up cannot hold has no attempts until they change.
bool could_run(const Draft& draft, std::size_t i) {
  return draft.candidate(i) && draft.fits_when_empty(draft.job(i).demand, true);
}

}  // namespace

void place_greedily(Draft& draft, const GreedyRules& rules) {
  const bool preempts = rules.preemption != Preemption::none;
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (could_run(draft, i) && is_tried(draft, rules, i)) waiting.push_back(i);
  }
  std::vector<std::size_t> paused;
  for (std::size_t i : by_decreasing_priority(draft, std::move(waiting))) {
    if (preempts && draft.job(i).phase != Phase::waiting) {
      paused.push_back(i);
    } else if (!place_greedily(draft, i) && preempts && preempt_for(draft, draft.job(i).demand)) {
      place_greedily(draft, i);
    }
  }
  for (std::size_t i = 0; i < draft.size() && rules.preemption == Preemption::pause_or_move; ++i) {
    if (draft.candidate(i) && draft.job(i).phase == Phase::running) paused.push_back(i);
  }
  for (std::size_t i : by_decreasing_priority(draft, std::move(paused))) place_greedily(draft, i);
}

// After each failure the next attempt is min(2^12, 2^count) seconds away (DFRS, III-A).
void back_off(const Draft& draft, const GreedyRules& rules, Plan& plan) {
  const Instant now = draft.view().now;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!backs_off(draft, rules, i) || !could_run(draft, i)) continue;
    Retry retry = retry_of(draft.view(), draft.id(i));
    if (retry.not_before <= now || has_arrived(draft.view().cause, draft.id(i))) {
      ++retry.failures;
      retry.not_before = now + seconds(std::int64_t{1} << std::min(retry.failures, kLargestExponent));
    }
    plan.memory.retries.append(draft.id(i), retry);
    plan.wake_at = std::min(retry.not_before, plan.wake_at.value_or(kNever));
  }
}

Explanation greedy_reason(const Draft& draft, std::size_t i, bool ticks) {
  const ClusterView& view = draft.view();
  const auto retry = view.memory.retries.find(draft.id(i));
  const bool remembered = !ticks && retry != view.memory.retries.end();
  Explanation why;
  if (ticks) why.retry_at = view.next_tick;
  if (remembered) why.retry_at = std::max(retry->second.not_before, view.now);
  if (!draft.fits(draft.job(i).demand)) {
    const auto retry_at = why.retry_at;
    why = capacity_reason(draft, i);
    why.retry_at = retry_at;
    return why;
  }
  why.reason = ticks ? Reason::waiting_for_tick : Reason::backing_off;
  why.text = "asks for " + tasks_text(draft.job(i).demand) + ", which would fit now; it is tried again ";
  if (remembered)
    why.text += "in " + text_of(*why.retry_at - view.now) + ", after " +
                std::to_string(retry->second.failures) + " failed attempts";
  else
    why.text += ticks ? "at the next tick at the latest" : "at the next event";
  return why;
}

bool has_event(const Cause& cause) {
  return !cause.arrived.empty() || cause.completed || cause.tick || cause.woken || cause.disturbed;
}

std::string Greedy::name() const { return kNames[static_cast<std::size_t>(preemption_)]; }

Plan Greedy::decide(const ClusterView& view) const {
  const bool preempts = preemption_ != Preemption::none;
  const bool all = view.cause.disturbed || (preempts && has_event(view.cause));
  const GreedyRules rules{preemption_, true, all, true, preempts};
  Draft draft(view);
  place_greedily(draft, rules);
  Plan plan = draft.plan(fair_yields(draft));
  back_off(draft, rules, plan);
  return plan;
}

Explanation Greedy::explain(const ClusterView& view, JobId id) const {
  const Draft draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_reason(draft, i)) return *plain;
  return greedy_reason(draft, i, false);
}

}  // namespace aliquot
