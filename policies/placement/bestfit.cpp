#include "policies/placement/bestfit.hpp"

#include "policies/feasibility.hpp"
#include "policies/placement/starts.hpp"
#include "policies/placement/why.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

// Does not hold up the others: it will never start, or not before nodes come back.
bool passed_over(const Draft& draft, std::size_t i) {
  return plain_reason(draft, i) || never_whole(draft, i);
}

// Starts jobs until one finds no room: that one; draft.size() if there is none.
std::size_t start_in_order(Draft& draft, Starts& starts) {
  for (const std::size_t i : by_priority(draft, {})) {
    if (!starts.put_alone(i) && !passed_over(draft, i)) return i;
  }
  return draft.size();
}

}  // namespace

Plan BestFit::decide(const ClusterView& view) const {
  Draft draft = placing_draft(view);
  Starts starts(draft);
  start_in_order(draft, starts);
  return starts.plan();
}

Explanation BestFit::explain(const ClusterView& view, JobId id) const {
  Draft draft = placing_draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_reason(draft, i)) return *plain;
  if (auto never = never_whole(draft, i)) return *never;
  Explanation why = no_room(draft, i);
  Starts starts(draft);
  const std::size_t head = start_in_order(draft, starts);
  if (head != i && head < draft.size()) {
    why.reason = Reason::behind_in_queue;
    why.text += "; job " + std::to_string(draft.job(head).id.raw) + " is first in the queue";
  }
  return why;
}

}  // namespace aliquot
