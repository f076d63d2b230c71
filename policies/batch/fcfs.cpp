#include "policies/batch/batch.hpp"
#include "policies/batch/queue.hpp"
#include "policies/batch/whole_nodes.hpp"
#include "policies/dfrs/fair_yields.hpp"

namespace aliquot {

Plan Fcfs::decide(const ClusterView& view) const {
  if (countable(view)) return decide_by_counting(view, false);
  Draft draft(view);
  std::vector<std::size_t> queue = fifo_queue(draft);
  start_in_order(draft, queue);
  // Yield 1 for a job alone on its nodes; jobs that another policy put together share until they end.
  return draft.plan(fair_yields(draft));
}

Explanation Fcfs::explain(const ClusterView& view, JobId id) const {
  const Draft draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_batch_reason(draft, i)) return *plain;
  Explanation why = busy_reason(draft, i);
  const std::size_t head = fifo_queue(draft).front();
  if (head != i) {
    why.reason = Reason::behind_in_queue;
    why.text += "; job " + std::to_string(draft.job(head).id.raw) + " is first in the queue";
  }
  return why;
}

}  // namespace aliquot
