#include "policies/placement/backfill.hpp"

#include <algorithm>

#include "policies/placement/forecast.hpp"
#include "policies/placement/starts.hpp"
#include "policies/placement/why.hpp"
#include "policies/placement/window.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

// Until one finds no room. Who will never start holds up nobody.
void start_in_order(const Draft& draft, Starts& starts, std::vector<std::size_t>& queue) {
  auto next = queue.begin();
  const auto passed_over = [&](std::size_t i) { return plain_reason(draft, i) || never_whole(draft, i); };
  while (next != queue.end() && (starts.put_alone(*next) || passed_over(*next))) ++next;
  queue.erase(queue.begin(), next);
}

// One pass over the first jobs; true if somebody started. Reservations ahead may then have moved, so passes
// are repeated until nobody starts.
bool backfill_once(Draft& draft, Starts& starts, std::vector<std::size_t>& queue, std::uint32_t most) {
  Forecast forecast(draft);
  const Instant now = draft.view().now;
  bool any = false;
  std::uint32_t looked_at = 0;
  for (auto i = queue.begin(); i != queue.end() && looked_at < most; ++i) {
    const auto opening = forecast.earliest(*i, starts.free());
    if (!opening) continue;
    ++looked_at;
    if (opening->at > now) {
      forecast.reserve(*i, *opening);
    } else if (starts.put_alone(*i, forecast.barred(*i, now))) {
      forecast.started(*i, starts.devices_of(*i));
      any = true;
    }
  }
  std::erase_if(queue, [&](std::size_t i) { return draft.placed(i); });
  return any;
}

void fill(Draft& draft, Starts& starts, const CollectiveSpec& spec, bool look_behind) {
  std::vector<std::size_t> queue = by_priority(draft, spec);
  start_in_order(draft, starts, queue);
  while (look_behind && !queue.empty() && backfill_once(draft, starts, queue, spec.window)) {
  }
}

}  // namespace

Plan Backfill::decide(const ClusterView& view) const {
  Draft draft = placing_draft(view);
  Starts starts(draft);
  fill(draft, starts, spec_, view.cause.tick);
  return starts.plan();
}

Explanation Backfill::explain(const ClusterView& view, JobId id) const {
  Draft draft = placing_draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_reason(draft, i)) return *plain;
  if (auto never = never_whole(draft, i)) return *never;
  Starts starts(draft);
  Explanation why;
  if (!starts.room_for(i)) {
    why = no_room(draft, i);
  } else {
    fill(draft, starts, spec_, true);
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
