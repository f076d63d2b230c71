#include "policies/batch/queue.hpp"

#include <algorithm>

#include "policies/reasons.hpp"

namespace aliquot {

namespace {

constexpr Duration kWithoutEstimate = seconds(366 * 86'400);

}  // namespace

bool suits(const Node& node, const Demand& demand) {
  return demand.need <= node.capacity && demand.memory <= node.memory;
}

bool idle(const Draft& draft, std::size_t n) {
  return draft.node(n).usable() && draft.ledger(n).tasks == 0;
}

bool enough_nodes(const ClusterView& view, const Demand& demand, bool usable_only) {
  const auto count = std::count_if(view.nodes.begin(), view.nodes.end(), [&](const Node& node) {
    return suits(node, demand) && (node.usable() || !usable_only);
  });
  return count >= demand.tasks;
}

std::vector<std::size_t> fifo_queue(const Draft& draft) {
  std::vector<std::size_t> queue;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.candidate(i) && enough_nodes(draft.view(), draft.job(i).demand, true)) queue.push_back(i);
  }
  std::stable_sort(queue.begin(), queue.end(), [&](std::size_t a, std::size_t b) {
    const Job& first = draft.job(a);
    const Job& second = draft.job(b);
    if (first.demand.weight != second.demand.weight) return first.demand.weight > second.demand.weight;
    return first.submitted < second.submitted;
  });
  return queue;
}

Placement whole_nodes(const Draft& draft, const Demand& demand, const std::vector<bool>& reserved) {
  Placement placement;
  for (std::uint32_t n = 0; n < draft.nodes() && placement.size() < demand.tasks; ++n) {
    if (!reserved.empty() && reserved[n]) continue;
    if (idle(draft, n) && suits(draft.node(n), demand)) placement.push_back({NodeId{n}, 1});
  }
  if (placement.size() < demand.tasks) placement.clear();
  return placement;
}

void start_in_order(Draft& draft, std::vector<std::size_t>& queue) {
  auto next = queue.begin();
  for (; next != queue.end(); ++next) {
    Placement placement = whole_nodes(draft, draft.job(*next).demand);
    if (placement.empty()) break;
    draft.place(*next, std::move(placement));
  }
  queue.erase(queue.begin(), next);
}

std::optional<Duration> estimate_of(const Demand& demand, EstimateFrom from) {
  return from == EstimateFrom::history && demand.predicted ? demand.predicted : demand.estimate;
}

VirtualTime believed_work(const Job& job, Instant now, EstimateFrom from) {
  const Duration estimate = estimate_of(job.demand, from).value_or(kWithoutEstimate);
  VirtualTime work = std::max(estimate, Duration{1}) * kFullYield;
  while (work <= job.progress.at(now)) work = work + work;
  return work;
}

Instant expected_end(const ClusterView& view, const Job& job, Yield yield, VirtualTime work) {
  const VirtualTime left = work - job.progress.at(view.now);
  if (job.phase == Phase::running) {
    return std::max(view.now, job.progress.stalled_until) + time_for(left, yield);
  }
  const Duration restart = job.phase == Phase::paused ? view.costs.restart : Duration{};
  return view.now + restart + time_for(left, kFullYield);
}

Instant estimated_end(const ClusterView& view, const Job& job, Yield yield, EstimateFrom from) {
  const std::optional<Duration> estimate = estimate_of(job.demand, from);
  if (!estimate) return kNever;
  if (from == EstimateFrom::history && job.demand.predicted)
    return expected_end(view, job, yield, believed_work(job, view.now, from));
  const VirtualTime work = *estimate * kFullYield;
  if (work <= job.progress.at(view.now)) return view.now + Duration{1};
  return expected_end(view, job, yield, work);
}

Explanation busy_reason(const Draft& draft, std::size_t i) {
  const Demand& demand = draft.job(i).demand;
  std::uint32_t free = 0;
  Explanation why;
  why.reason = Reason::nodes_busy;
  why.tightest = "cpu";
  why.nodes = count_nodes(draft.view(), {"busy", "too small for a task", "idle"}, [&](std::size_t n) {
    if (!suits(draft.node(n), demand)) return std::size_t{1};
    free += idle(draft, n) ? 1 : 0;
    return idle(draft, n) ? std::size_t{2} : std::size_t{0};
  });
  why.held_by = largest_holders(
      draft, i, [&](std::size_t j) { return static_cast<std::int64_t>(draft.placement(j).size()); });
  why.text = "asks for " + std::to_string(demand.tasks) + " whole nodes with " + text_of(demand.need) +
             " and " + text_of(demand.memory) + "; " + std::to_string(free) + " are idle";
  return why;
}

std::optional<Explanation> plain_batch_reason(const Draft& draft, std::size_t i) {
  const Demand& demand = draft.job(i).demand;
  if (auto plain = plain_reason(draft, i)) return plain;
  if (enough_nodes(draft.view(), demand, true)) return std::nullopt;
  Explanation why = busy_reason(draft, i);
  const bool with_all = enough_nodes(draft.view(), demand, false);
  why.reason = with_all ? Reason::nodes_unavailable : Reason::never_fits;
  why.text += with_all
                  ? "; it could start if nodes came back that are draining, suspect, down or asleep now"
                  : "; the cluster has too few such nodes: this policy gives each task a whole one";
  return why;
}

}  // namespace aliquot
