#include "policies/placement/bestfit.hpp"

#include "policies/placement/allocation.hpp"
#include "policies/placement/explanations.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

// Starts jobs until one does not fit: that one; draft.size() if there is none. A job that can never start,
// or not before nodes come back, does not hold up the others.
std::size_t start_in_order(const Draft& draft, Allocation& allocation) {
  for (const std::size_t i : by_priority(draft, {})) {
    if (!allocation.place_alone(i) && !plain_reason(draft, i) && !never_fits_whole(draft, i)) return i;
  }
  return draft.size();
}

}  // namespace

Plan BestFit::decide(const ClusterView& view) const {
  Draft draft = placing_draft(view);
  Allocation allocation(draft);
  start_in_order(draft, allocation);
  return allocation.plan();
}

Explanation BestFit::explain(const ClusterView& view, JobId id) const {
  Draft draft = placing_draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_reason(draft, i)) return *plain;
  if (auto never = never_fits_whole(draft, i)) return *never;
  Explanation why = does_not_fit_now(draft, i);
  Allocation allocation(draft);
  const std::size_t head = start_in_order(draft, allocation);
  if (head != i && head < draft.size()) {
    why.reason = Reason::behind_in_queue;
    why.text += "; job " + std::to_string(draft.job(head).id.raw) + " is first in the queue";
  }
  return why;
}

}  // namespace aliquot
