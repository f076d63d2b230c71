#include "policies/placement/availability_profile.hpp"

#include <algorithm>
#include <numeric>

#include "policies/batch/queue.hpp"
#include "policies/dfrs/fair_yields.hpp"

namespace aliquot {

AvailabilityProfile::AvailabilityProfile(const Allocation& allocation)
    : allocation_(allocation), draft_(allocation.draft()), durations_(draft_.size()) {
  const Yields yields = fair_yields(draft_);
  const Instant now = draft_.view().now;
  for (std::size_t i = 0; i < draft_.size(); ++i) {
    const bool placed = draft_.placed(i);
    if (!placed && !draft_.candidate(i)) continue;
    const Job& job = draft_.job(i);
    const Yield yield = placed && yields[i].raw > 0 ? yields[i] : kFullYield;
    const Instant end = expected_end(draft_.view(), job, yield, believed_work(job, now));
    durations_[i] = std::max(end - now, Duration{1});
    if (placed) ends_.push_back({later_by(now, durations_[i]), i, job.devices});
  }
  std::ranges::stable_sort(ends_, {}, &End::at);
}

AvailabilityProfile::Free AvailabilityProfile::free_now(const Demand& demand) const {
  Free free;
  free.devices = allocation_.free_devices_now();
  for (std::size_t n = 0; n < draft_.nodes(); ++n) free.ledgers.push_back(draft_.ledger(n));
  for (std::size_t n = 0; n < draft_.nodes(); ++n) free.tasks.push_back(tasks_on(n, free, demand));
  return free;
}

std::uint32_t AvailabilityProfile::tasks_on(std::size_t n, const Free& free, const Demand& demand) const {
  const Node& node = draft_.node(n);
  if (!node.usable()) return 0;
  std::uint32_t tasks = tasks_at_full_yield(node, free.ledgers[n], demand);
  if (demand.spread.per_node > 0) tasks = std::min(tasks, demand.spread.per_node);
  if (tasks == 0 || !demand.devices.any()) return tasks;
  return pick_devices(node, free.devices.on(node.id), demand.devices) ? tasks : 0;
}

// The job ends: its nodes hold more tasks of the demand.
void AvailabilityProfile::release(const End& end, const Demand& demand, Free& free) const {
  const Demand& held = draft_.job(end.entry).demand;
  const Charge each = charge_of_task(held);
  const Shares shares = draft_.placement(end.entry);
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const std::uint32_t n = shares[k].node.raw;
    free.ledgers[n].take(each, -std::int64_t{shares[k].units});
    if (k < end.devices.size()) free.devices.change(shares[k].node, end.devices[k], held.devices.parts, 1);
    free.tasks[n] = tasks_on(n, free, demand);
  }
}

// A start becomes possible only when a job or a reservation ends.
Instant AvailabilityProfile::next_change(Instant after) const {
  const auto end = std::ranges::upper_bound(ends_, after, {}, &End::at);
  Instant next = end != ends_.end() ? end->at : kNever;
  for (const Reservation& r : reservations_) {
    if (r.to > after) next = std::min(next, r.to);
  }
  return next;
}

// The nodes on which the job could start then; empty: it could not.
std::vector<std::uint32_t> AvailabilityProfile::nodes_at(std::size_t entry, Instant from,
                                                         const std::vector<std::uint32_t>& tasks) const {
  const Demand& demand = draft_.job(entry).demand;
  if (std::accumulate(tasks.begin(), tasks.end(), std::uint64_t{0}) < demand.tasks) return {};
  const std::vector<bool> out = reserved(entry, from);
  ip::NodeResources nodes(tasks.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (!out[n] && tasks[n] > 0) nodes[n].emplace().cpu = tasks[n];
  }
  std::vector<std::uint32_t> chosen;
  for (const ip::NodeAllocation& a : on_fewest_nodes(demand, nodes)) chosen.push_back(a.node);
  return chosen;
}

std::optional<AvailabilityProfile::Start> AvailabilityProfile::earliest(std::size_t entry) const {
  const Demand& demand = draft_.job(entry).demand;
  Free free = free_now(demand);
  auto end = ends_.begin();
  for (Instant at = draft_.view().now; at != kNever; at = next_change(at)) {
    for (; end != ends_.end() && end->at <= at; ++end) release(*end, demand, free);
    std::vector<std::uint32_t> nodes = nodes_at(entry, at, free.tasks);
    if (!nodes.empty()) return Start{at, std::move(nodes)};
  }
  return std::nullopt;
}

void AvailabilityProfile::reserve(std::size_t entry, const Start& start) {
  reservations_.push_back({start.at, later_by(start.at, durations_[entry]), start.nodes});
}

std::vector<bool> AvailabilityProfile::reserved(std::size_t entry, Instant from) const {
  std::vector<bool> nodes(draft_.nodes(), false);
  const Instant to = later_by(from, durations_[entry]);
  for (const Reservation& r : reservations_) {
    if (r.from >= to || r.to <= from) continue;
    for (const std::uint32_t n : r.nodes) nodes[n] = true;
  }
  return nodes;
}

void AvailabilityProfile::started(std::size_t entry) {
  const Instant at = later_by(draft_.view().now, durations_[entry]);
  const auto later = std::ranges::upper_bound(ends_, at, {}, &End::at);
  ends_.insert(later, End{at, entry, allocation_.devices_of(entry)});
}

}  // namespace aliquot
