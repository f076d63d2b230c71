#include "policies/dfrs/greedy.hpp"

#include <algorithm>

#include "policies/dfrs/fair_yields.hpp"
#include "policies/dfrs/greedy_placement.hpp"
#include "policies/dfrs/preemption.hpp"
#include "policies/dfrs/priority.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

constexpr std::uint32_t kLargestExponent = 12;

}  // namespace

std::string Greedy::name() const {
  switch (preemption_) {
    case Preemption::none:
      return "GREEDY";
    case Preemption::pause:
      return "GREEDY-PMTN";
    case Preemption::pause_or_move:
      return "GREEDY-PMTN-MIGR";
  }
  return {};
}

Retry after_failure(Retry retry, Instant now) {
  ++retry.failures;
  const std::int64_t wait = std::int64_t{1} << std::min(retry.failures, kLargestExponent);
  retry.not_before = now + seconds(wait);
  return retry;
}

bool has_arrived(const Cause& cause, JobId job) { return std::ranges::binary_search(cause.arrived, job); }

bool has_event(const Cause& cause) {
  return !cause.arrived.empty() || cause.completed || cause.tick || cause.woken || cause.disturbed;
}

// Its own instant has come, or it has none yet.
bool Greedy::due(const ClusterView& view, const Job& job) const {
  const auto retry = view.memory.retries.find(job.id);
  return retry == view.memory.retries.end() || retry->second.not_before <= view.now ||
         has_arrived(view.cause, job.id);
}

bool Greedy::try_to_place(Draft& draft, std::size_t i) const {
  if (place_greedily(draft, i)) return true;
  return preemption_ != Preemption::none && preempt_for(draft, draft.job(i).demand) &&
         place_greedily(draft, i);
}

void Greedy::admit(Draft& draft, PolicyMemory& memory) const {
  const ClusterView& view = draft.view();
  const bool all = view.cause.disturbed || (preemption_ != Preemption::none && has_event(view.cause));
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const Job& job = draft.job(i);
    if (!draft.candidate(i) || (preemption_ != Preemption::none && job.phase != Phase::waiting)) continue;
    if (!draft.fits_when_empty(job.demand, true)) continue;  // until the nodes change: not its attempt
    if (const auto retry = view.memory.retries.find(job.id); retry != view.memory.retries.end()) {
      memory.retries.insert(*retry);
    }
    if (all || due(view, job)) waiting.push_back(i);
  }
  for (std::size_t i : by_decreasing_priority(draft, std::move(waiting))) {
    const Job& job = draft.job(i);
    if (try_to_place(draft, i)) {
      memory.retries.erase(job.id);
    } else if (due(view, job)) {
      Retry& retry = memory.retries[job.id];
      retry = after_failure(retry, view.now);
    }
  }
}

void Greedy::resume(Draft& draft) const {
  if (preemption_ == Preemption::none || !has_event(draft.view().cause)) return;
  std::vector<std::size_t> paused;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const Phase before = draft.job(i).phase;
    const bool in_this_event = before == Phase::running;
    if (!draft.candidate(i) || before == Phase::waiting) continue;
    if (!in_this_event || preemption_ == Preemption::pause_or_move) paused.push_back(i);
  }
  for (std::size_t i : by_decreasing_priority(draft, std::move(paused))) {
    place_greedily(draft, i);
  }
}

Plan Greedy::decide(const ClusterView& view) const {
  Draft draft(view);
  PolicyMemory memory;
  admit(draft, memory);
  resume(draft);
  Plan plan = draft.plan(fair_yields(draft));
  for (const auto& [job, retry] : memory.retries) {
    if (!plan.wake_at || retry.not_before < *plan.wake_at) plan.wake_at = retry.not_before;
  }
  plan.memory = std::move(memory);
  return plan;
}

Explanation Greedy::explain(const ClusterView& view, JobId id) const {
  const Draft draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_reason(draft, i)) return *plain;
  const Job& job = draft.job(i);
  Explanation why;
  if (!draft.fits(job.demand)) {
    why = capacity_reason(draft, i);
  } else {
    why.reason = Reason::backing_off;
    why.text = "asks for " + tasks_text(job.demand) + ", which would fit now; it is tried again ";
  }
  const auto retry = view.memory.retries.find(id);
  if (retry != view.memory.retries.end()) {
    why.retry_at = std::max(retry->second.not_before, view.now);
    if (why.reason == Reason::backing_off) {
      why.text += "in " + text_of(*why.retry_at - view.now) + ", after " +
                  std::to_string(retry->second.failures) + " failed attempts";
    }
  } else if (why.reason == Reason::backing_off) {
    why.text += "at the next event";
  }
  return why;
}

}  // namespace aliquot
