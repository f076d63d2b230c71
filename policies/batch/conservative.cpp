#include <algorithm>
#include <utility>

#include "policies/batch/batch.hpp"
#include "policies/batch/queue.hpp"
#include "policies/batch/reservations.hpp"
#include "policies/dfrs/fair_yields.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

// Every job of the queue gets a reservation, unless too few nodes ever become free for it.
Reservations reserve_all(const Draft& draft, const std::vector<std::size_t>& queue, EstimateFrom from) {
  const ClusterView& view = draft.view();
  Reservations reservations(draft, fair_yields(draft), from);
  const Reservations::Kept kept = reservations.keep(queue);
  // An arrival frees no nodes: after one, every reservation is already the earliest possible.
  if (view.cause.completed || view.cause.disturbed || !kept.all) {
    for (std::size_t i : queue) {
      if (reservations.holds(i)) reservations.bring_forward(i);
    }
  }
  for (std::size_t i : kept.fresh) reservations.reserve(i);
  return reservations;
}

}  // namespace

const PolicyGrammar<ConservativeSpec>& conservative_grammar() {
  static const PolicyGrammar<ConservativeSpec> grammar{
      "CONSERVATIVE", {}, '/', {flag("/predict", &ConservativeSpec::predicts)}};
  return grammar;
}

Plan Conservative::decide(const ClusterView& view) const {
  Draft draft(view);
  const std::vector<std::size_t> queue = fifo_queue(draft);
  const Reservations reservations = reserve_all(draft, queue, spec_.source());
  PolicyMemory memory;
  std::optional<Instant> wake_at;
  for (std::size_t i : queue) {
    if (!reservations.holds(i)) continue;
    const Booking& promise = reservations.promise(i);
    if (promise.at == view.now) {
      if (Placement nodes = reservations.nodes_for(i); !nodes.empty()) draft.place(i, std::move(nodes));
    } else {
      memory.reservations.emplace_hint(memory.reservations.end(), draft.job(i).id, promise);
      wake_at = std::min(promise.at, wake_at.value_or(kNever));
    }
  }
  Plan plan = draft.plan(fair_yields(draft));
  plan.memory = std::move(memory);
  plan.wake_at = wake_at;
  return plan;
}

Explanation Conservative::explain(const ClusterView& view, JobId id) const {
  const Draft draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_batch_reason(draft, i)) return *plain;
  Explanation why = busy_reason(draft, i);
  const Reservations reservations = reserve_all(draft, fifo_queue(draft), spec_.source());
  if (!whole_nodes(draft, draft.job(i).demand).empty()) {
    why.reason = Reason::reserved;
    why.text += "; starting it now would delay a job that has a reservation";
  }
  if (reservations.holds(i)) {
    why.retry_at = reservations.promise(i).at;
    why.text += "; its reservation begins in " + text_of(*why.retry_at - view.now);
  }
  return why;
}

}  // namespace aliquot
