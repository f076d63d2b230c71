#include "policies/placement/backfill.hpp"

#include <algorithm>

#include "policies/placement/availability_profile.hpp"
#include "policies/placement/explanations.hpp"
#include "policies/placement/window.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

// Until one does not fit; a job that can never start is passed over.
void start_in_order(const Draft& draft, Allocation& allocation, std::vector<std::size_t>& queue) {
  auto next = queue.begin();
  const auto never_starts = [&](std::size_t i) {
    return plain_reason(draft, i) || never_fits_whole(draft, i);
  };
  while (next != queue.end() && (allocation.place_alone(*next) || never_starts(*next))) ++next;
  queue.erase(queue.begin(), next);
}

// One pass over the first jobs; true if one started. The jobs ahead of it may then start earlier, so passes
// are repeated until none starts.
bool backfill_once(const Draft& draft, Allocation& allocation, std::vector<std::size_t>& queue,
                   std::uint32_t most) {
  AvailabilityProfile profile(draft);
  const Instant now = draft.view().now;
  bool any = false;
  std::uint32_t looked_at = 0;
  for (auto i = queue.begin(); i != queue.end() && looked_at < most; ++i) {
    const auto start = profile.earliest(*i, allocation.free_devices_now());
    if (!start) continue;
    ++looked_at;
    if (start->at > now) {
      profile.reserve(*i, *start);
    } else if (allocation.place_alone(*i, profile.reserved(*i, now))) {
      profile.started(*i, allocation.devices_of(*i));
      any = true;
    }
  }
  std::erase_if(queue, [&](std::size_t i) { return draft.placed(i); });
  return any;
}

void start_jobs(const Draft& draft, Allocation& allocation, const CollectiveSpec& spec, bool backfill) {
  std::vector<std::size_t> queue = by_priority(draft, spec);
  start_in_order(draft, allocation, queue);
  while (backfill && !queue.empty() && backfill_once(draft, allocation, queue, spec.window)) {
  }
}

}  // namespace

Plan Backfill::decide(const ClusterView& view) const {
  Draft draft = placing_draft(view);
  Allocation allocation(draft);
  start_jobs(draft, allocation, spec_, view.cause.tick);
  return allocation.plan();
}

Explanation Backfill::explain(const ClusterView& view, JobId id) const {
  Draft draft = placing_draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_reason(draft, i)) return *plain;
  if (auto never = never_fits_whole(draft, i)) return *never;
  Allocation allocation(draft);
  Explanation why;
  if (!allocation.fits_alone(i)) {
    why = does_not_fit_now(draft, i);
  } else {
    start_jobs(draft, allocation, spec_, true);
    if (draft.placed(i)) {
      why.reason = Reason::waiting_for_tick;
      why.text = "would start now: this policy looks behind the first job every " + text_of(spec_.interval);
    } else {
      why.reason = Reason::reserved;
      why.text =
          "there is room for it alone, but jobs ahead of it in the queue start there, or would start later "
          "if it did, or it stands behind the first " +
          std::to_string(spec_.window);
    }
  }
  why.retry_at = view.next_tick;
  return why;
}

}  // namespace aliquot
