#include "policies/placement/backfill.hpp"

#include <algorithm>

#include "policies/placement/availability_profile.hpp"
#include "policies/placement/explanations.hpp"
#include "policies/placement/window_state.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

using Queue = std::vector<std::size_t>;  // of entries, by priority

// Starts jobs until one does not fit, and returns the rest of the queue from that one on. A job that can
// never start, or not before nodes come back, does not hold up the others.
Queue start_in_order(Allocation& allocation, const Queue& queue) {
  const Draft& draft = allocation.draft();
  auto next = queue.begin();
  while (next != queue.end() && (allocation.place_alone(*next) || plain_whole_reason(draft, *next))) ++next;
  return {next, queue.end()};
}

// One pass over the first jobs; true if one started. The jobs ahead of it may then start earlier, so passes
// are repeated until none starts.
bool backfill_once(Allocation& allocation, Queue& queue, std::uint32_t most) {
  const Draft& draft = allocation.draft();
  AvailabilityProfile profile(allocation);
  const Instant now = draft.view().now;
  bool any = false;
  std::uint32_t looked_at = 0;
  for (auto i = queue.begin(); i != queue.end() && looked_at < most; ++i) {
    const auto start = profile.earliest(*i);
    if (!start) continue;
    ++looked_at;
    if (start->at > now) {
      profile.reserve(*i, *start);
    } else if (allocation.place_alone(*i, profile.reserved(*i, now))) {
      profile.started(*i);
      any = true;
    }
  }
  std::erase_if(queue, [&](std::size_t i) { return draft.placed(i); });
  return any;
}

void start_jobs(Allocation& allocation, const CollectiveSpec& spec, bool backfill) {
  Queue queue = start_in_order(allocation, by_priority(allocation.draft(), spec));
  while (backfill && !queue.empty() && backfill_once(allocation, queue, spec.window)) {
  }
}

}  // namespace

Plan BestFit::decide(const ClusterView& view) const {
  Draft draft = placing_draft(view);
  Allocation allocation(draft);
  start_in_order(allocation, by_priority(draft, {}));
  return allocation.plan();
}

Explanation BestFit::explain(const ClusterView& view, JobId id) const {
  Draft draft = placing_draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_whole_reason(draft, i)) return *plain;
  Explanation why = does_not_fit_now(draft, i);
  Allocation allocation(draft);
  const Queue queue = start_in_order(allocation, by_priority(draft, {}));
  if (!queue.empty() && queue.front() != i) {
    why.reason = Reason::behind_in_queue;
    why.text += "; job " + std::to_string(draft.job(queue.front()).id.raw) + " is first in the queue";
  }
  return why;
}

Plan Backfill::decide(const ClusterView& view) const {
  Draft draft = placing_draft(view);
  Allocation allocation(draft);
  start_jobs(allocation, spec_, view.cause.tick);
  Plan plan = allocation.plan();
  plan.memory.state =
      view.cause.tick ? WindowState::after_look(draft, spec_.window, spec_.window) : view.memory.state;
  return plan;
}

Explanation Backfill::explain(const ClusterView& view, JobId id) const {
  Draft draft = placing_draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_whole_reason(draft, i)) return *plain;
  return interval_reason(
      draft, i, "this policy looks behind the first job", spec_.interval,
      explained(
          Reason::reserved,
          "there is room for it alone, but when this policy last looked, jobs ahead of it in the queue "
          "had it, or would have started later, or it stands behind the first " +
              std::to_string(spec_.window)));
}

}  // namespace aliquot
