#include <algorithm>
#include <utility>

#include "policies/batch/batch.hpp"
#include "policies/batch/queue.hpp"
#include "policies/batch/whole_nodes.hpp"
#include "policies/dfrs/fair_yields.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

// When jobs will end according to their estimates, by entry: jobs that run, and those that would start or
// resume now. The yields are those of the draft before any job is started: a job that starts gets nodes of
// its own, and changes no other job's yield.
std::vector<Instant> estimated_ends(const Draft& draft, EstimateFrom from) {
  const Yields yields = fair_yields(draft);
  std::vector<Instant> ends(draft.size(), kNever);
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (draft.placed(i) || draft.candidate(i))
      ends[i] = estimated_end(draft.view(), draft.job(i), yields[i], from);
  return ends;
}

struct Reservation {
  Instant at;               // kNever: unknown
  std::vector<bool> nodes;  // reserved, by node
};

// For a job that does not fit now, but would if all nodes that are up were idle.
Reservation reserve(const Draft& draft, const std::vector<Instant>& ends, const Demand& demand) {
  std::vector<Instant> free_at(draft.nodes(), draft.view().now);
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!draft.placed(i)) continue;
    for (const Share& share : draft.placement(i))
      free_at[share.node.raw] = std::max(free_at[share.node.raw], ends[i]);
  }
  std::vector<std::uint32_t> suitable;
  for (std::uint32_t n = 0; n < draft.nodes(); ++n) {
    if (draft.node(n).usable() && suits(draft.node(n), demand)) suitable.push_back(n);
  }
  // In the order in which they become free; the last of the first `tasks` sets the instant.
  std::stable_sort(suitable.begin(), suitable.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return free_at[a] < free_at[b]; });
  Reservation reservation{free_at[suitable[demand.tasks - 1]], std::vector<bool>(draft.nodes(), false)};
  // Of the nodes that will be free by then it reserves those that are busy now first, which leaves more
  // idle nodes to other jobs. Without a known instant it keeps the idle ones.
  const auto end = std::stable_partition(suitable.begin(), suitable.end(),
                                         [&](std::uint32_t n) { return free_at[n] <= reservation.at; });
  if (reservation.at != kNever) {
    std::stable_partition(suitable.begin(), end, [&](std::uint32_t n) { return !idle(draft, n); });
  }
  for (std::size_t k = 0; k < demand.tasks; ++k) reservation.nodes[suitable[k]] = true;
  return reservation;
}

// Idle nodes for a later job that do not delay the reservation; empty if there are too few. `lend`: a job
// that ends in time may use the reserved ones.
Placement backfill(const Draft& draft, std::size_t i, Instant job_ends, const Reservation& reservation,
                   bool lend) {
  const Job& job = draft.job(i);
  const bool borrows = lend && reservation.at != kNever && job_ends <= reservation.at;
  if (!borrows) return whole_nodes(draft, job.demand, reservation.nodes);
  // Reserved nodes first: jobs that end later cannot use them.
  std::vector<bool> others(reservation.nodes);
  others.flip();
  Placement placement;
  for (const auto* avoid : {&std::as_const(others), &reservation.nodes}) {
    for (std::uint32_t n = 0; n < draft.nodes() && placement.size() < job.demand.tasks; ++n) {
      if (!(*avoid)[n] && idle(draft, n) && suits(draft.node(n), job.demand)) placement.push_back({{n}, 1});
    }
  }
  if (placement.size() < job.demand.tasks) placement.clear();
  std::sort(placement.begin(), placement.end());
  return placement;
}

// One pass over the jobs behind the first. On heterogeneous nodes a job that starts may change which nodes
// are reserved, so passes are repeated until no job starts.
bool backfill_once(Draft& draft, const std::vector<Instant>& ends, std::vector<std::size_t>& queue,
                   bool lend) {
  const Reservation reservation = reserve(draft, ends, draft.job(queue.front()).demand);
  const std::size_t before = queue.size();
  const std::size_t head = queue.front();
  std::erase_if(queue, [&](std::size_t i) {
    if (i == head) return false;
    Placement placement = backfill(draft, i, ends[i], reservation, lend);
    if (placement.empty()) return false;
    draft.place(i, std::move(placement));
    return true;
  });
  return queue.size() < before;
}

}  // namespace

const PolicyGrammar<EasySpec>& easy_grammar() {
  static const PolicyGrammar<EasySpec> grammar{"EASY", {}, '/', {flag("/predict", &EasySpec::predicts)}};
  return grammar;
}

std::string Easy::name() const { return spec_.lends ? easy_grammar().print(spec_) : "EASY-LEGACY"; }

Plan Easy::decide(const ClusterView& view) const {
  if (spec_.lends && countable(view)) return decide_by_counting(view, true, spec_.source());
  Draft draft(view);
  const std::vector<Instant> ends = estimated_ends(draft, spec_.source());
  std::vector<std::size_t> queue = fifo_queue(draft);
  start_in_order(draft, queue);
  while (queue.size() > 1 && backfill_once(draft, ends, queue, spec_.lends)) continue;
  return draft.plan(fair_yields(draft));
}

Explanation Easy::explain(const ClusterView& view, JobId id) const {
  Draft draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_batch_reason(draft, i)) return *plain;
  Explanation why = busy_reason(draft, i);
  const std::vector<Instant> ends = estimated_ends(draft, spec_.source());
  std::vector<std::size_t> queue = fifo_queue(draft);
  start_in_order(draft, queue);
  if (queue.empty() || draft.placed(i)) return why;
  const Reservation reservation = reserve(draft, ends, draft.job(queue.front()).demand);
  const std::string first = "job " + std::to_string(draft.job(queue.front()).id.raw);
  if (queue.front() == i) {
    if (reservation.at != kNever) {
      why.retry_at = reservation.at;
      why.text += "; first in the queue, it expects to start in " + text_of(reservation.at - view.now);
    } else {
      why.text += "; first in the queue, it keeps the idle nodes: a job without an estimate is in the way";
    }
  } else if (!whole_nodes(draft, draft.job(i).demand).empty()) {
    why.reason = Reason::reserved;
    why.text += spec_.lends ? "; starting it now would delay " + first + ", which has a reservation"
                            : "; " + first + " is first in the queue and has the idle nodes reserved";
  } else {
    why.text += "; " + first + " is first in the queue";
  }
  return why;
}

}  // namespace aliquot
