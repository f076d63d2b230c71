#include "policies/batch/easy_legacy.hpp"

#include <algorithm>
#include <utility>

#include "policies/batch/expected_end.hpp"
#include "policies/batch/queue.hpp"
#include "policies/dfrs/average_yield.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

// As in EASY: a job past its estimate ends at once, one without an estimate never.
Instant end_of(const Draft& draft, std::size_t i, Yield yield) {
  const Job& job = draft.job(i);
  const ClusterView& view = draft.view();
  if (!job.demand.estimate) return kNever;
  const VirtualTime work = *job.demand.estimate * kFullYield;
  if (work <= job.progress.at(view.now)) return view.now + Duration{1};
  return expected_end(view, job, yield, work);
}

struct Reserved {
  Instant at;               // kNever: nobody knows
  std::vector<bool> nodes;  // by node
};

// The nodes that become free first; of those free by the same instant, the busy ones first.
Reserved reserve(const Draft& draft, std::size_t first) {
  const Yields yields = fair_yields(draft);
  std::vector<Instant> free_at(draft.nodes(), draft.view().now);
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!draft.placed(i)) continue;
    const Instant end = end_of(draft, i, yields[i]);
    for (const Share& share : draft.placement(i)) {
      free_at[share.node.raw] = std::max(free_at[share.node.raw], end);
    }
  }
  const Demand& demand = draft.job(first).demand;
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t n = 0; n < draft.nodes(); ++n) {
    if (draft.node(n).usable() && suits(draft.node(n), demand)) nodes.push_back(n);
  }
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return free_at[a] < free_at[b]; });
  Reserved reserved{free_at[nodes[demand.tasks - 1]], std::vector<bool>(draft.nodes(), false)};
  if (reserved.at != kNever) {
    const auto end = std::stable_partition(nodes.begin(), nodes.end(),
                                           [&](std::uint32_t n) { return free_at[n] <= reserved.at; });
    std::stable_partition(nodes.begin(), end, [&](std::uint32_t n) { return !idle(draft, n); });
  }
  for (std::size_t k = 0; k < demand.tasks; ++k) reserved.nodes[nodes[k]] = true;
  return reserved;
}

// Starts jobs from the front while they fit; the rest of the queue remains.
void start_in_order(Draft& draft, std::vector<std::size_t>& queue) {
  auto next = queue.begin();
  for (; next != queue.end(); ++next) {
    Placement placement = whole_nodes(draft, draft.job(*next).demand);
    if (placement.empty()) break;
    draft.place(*next, std::move(placement));
  }
  queue.erase(queue.begin(), next);
}

// One pass over the jobs behind the first. On unlike nodes whoever starts may free others from the
// reservation, so passes are repeated until nobody does.
bool backfill_once(Draft& draft, std::vector<std::size_t>& queue) {
  const std::vector<bool> reserved = reserve(draft, queue.front()).nodes;
  const std::size_t before = queue.size();
  const std::size_t head = queue.front();
  std::erase_if(queue, [&](std::size_t i) {
    if (i == head) return false;
    Placement placement = whole_nodes(draft, draft.job(i).demand, reserved);
    if (placement.empty()) return false;
    draft.place(i, std::move(placement));
    return true;
  });
  return queue.size() < before;
}

}  // namespace

Plan EasyLegacy::decide(const ClusterView& view) const {
  Draft draft(view);
  std::vector<std::size_t> queue = fifo_queue(draft);
  start_in_order(draft, queue);
  while (queue.size() > 1 && backfill_once(draft, queue)) continue;
  return draft.plan(fair_yields(draft));
}

Explanation EasyLegacy::explain(const ClusterView& view, JobId id) const {
  Draft draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_batch_reason(draft, i)) return *plain;
  Explanation why = busy_reason(draft, i);
  std::vector<std::size_t> queue = fifo_queue(draft);
  start_in_order(draft, queue);
  if (queue.empty() || draft.placed(i)) return why;
  if (queue.front() != i) {
    const bool fits = !whole_nodes(draft, draft.job(i).demand).empty();
    why.reason = fits ? Reason::reserved : why.reason;
    why.text +=
        "; job " + std::to_string(draft.job(queue.front()).id.raw) +
        (fits ? " is first in the queue and has the idle nodes reserved" : " is first in the queue");
  } else if (const Reserved reserved = reserve(draft, i); reserved.at != kNever) {
    why.retry_at = reserved.at;
    why.text += "; first in the queue, it expects to start in " + text_of(reserved.at - view.now);
  }
  return why;
}

}  // namespace aliquot
