#include "policies/placement/availability_profile.hpp"

#include <algorithm>

#include "policies/batch/expected_end.hpp"
#include "policies/dfrs/average_yield.hpp"

namespace aliquot {

namespace {

Instant later_by(Instant start, Duration duration) {
  return start.raw > kNever.raw - duration.raw ? kNever : start + duration;
}

}  // namespace

AvailabilityProfile::AvailabilityProfile(const Draft& draft) : draft_(draft), durations_(draft.size()) {
  const Yields yields = fair_yields(draft);
  const Instant now = draft.view().now;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const bool placed = draft.placed(i);
    if (!placed && !draft.candidate(i)) continue;
    const Job& job = draft.job(i);
    const Yield yield = placed && yields[i].raw > 0 ? yields[i] : kFullYield;
    const Instant end = expected_end(draft.view(), job, yield, believed_work(job, now));
    durations_[i] = std::max(end - now, Duration{1});
    if (placed) ends_.push_back({later_by(now, durations_[i]), i, job.devices});
  }
  std::stable_sort(ends_.begin(), ends_.end(), [](const End& a, const End& b) { return a.at < b.at; });
}

std::uint32_t AvailabilityProfile::tasks_on(std::size_t n, const NodeLedger& room, const FreeDevices& free,
                                            const Demand& demand) const {
  const Node& node = draft_.node(n);
  if (!node.usable()) return 0;
  std::uint32_t tasks = tasks_at_full_yield(node, room, demand);
  if (demand.spread.per_node > 0) tasks = std::min(tasks, demand.spread.per_node);
  if (tasks == 0 || !demand.devices.any()) return tasks;
  return pick_devices(node, free.on(node.id), demand.devices) ? tasks : 0;
}

// The job ends: its nodes hold more tasks of the demand.
void AvailabilityProfile::release(const End& end, const Demand& demand, std::vector<NodeLedger>& rooms,
                                  FreeDevices& free, TaskCapacity& capacity) const {
  const Demand& held = draft_.job(end.entry).demand;
  const Charge each = charge_of_task(held);
  const Shares shares = draft_.placement(end.entry);
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const std::uint32_t n = shares[k].node.raw;
    rooms[n].take(each, -std::int64_t{shares[k].units});
    if (k < end.devices.size()) free.change(shares[k].node, end.devices[k], held.devices.parts, 1);
    const std::uint32_t tasks = tasks_on(n, rooms[n], free, demand);
    capacity.sum += tasks;
    capacity.sum -= capacity.tasks[n];
    capacity.tasks[n] = tasks;
  }
}

// The nodes on which the job could start then; empty: it could not.
std::vector<std::uint32_t> AvailabilityProfile::nodes_at(std::size_t entry, Instant from,
                                                         const TaskCapacity& capacity) const {
  const Demand& demand = draft_.job(entry).demand;
  if (capacity.sum < demand.tasks) return {};
  const NodeSet out = reserved(entry, from);
  const std::uint32_t full_share = std::max(1U, std::min(demand.spread.per_node, demand.tasks));
  ip::NodeResources nodes(capacity.tasks.size());
  std::uint64_t on_full_nodes = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (out.contains(n) || capacity.tasks[n] == 0) continue;
    nodes[n].emplace().cpu = capacity.tasks[n];
    if (capacity.tasks[n] >= full_share) on_full_nodes += capacity.tasks[n];
  }
  const bool with_remainder = demand.spread.per_node > 0 && demand.tasks % demand.spread.per_node > 0;
  if (on_full_nodes < demand.tasks && !with_remainder) return {};
  std::vector<std::uint32_t> chosen;
  for (const ip::NodeAllocation& a : on_fewest_nodes(demand, nodes)) chosen.push_back(a.node);
  return chosen;
}

AvailabilityProfile::Known& AvailabilityProfile::known_of(std::size_t entry) {
  const Demand& demand = draft_.job(entry).demand;
  for (Known& known : known_) {
    if (known.duration == durations_[entry] && *known.demand == demand) return known;
  }
  return known_.emplace_back(Known{&demand, durations_[entry], draft_.view().now, {}});
}

AvailabilityProfile::TaskCapacity AvailabilityProfile::capacity_now(const Demand& demand,
                                                                    const FreeDevices& free) const {
  TaskCapacity capacity;
  for (std::size_t n = 0; n < draft_.nodes(); ++n) {
    capacity.tasks.push_back(tasks_on(n, draft_.ledger(n), free, demand));
    capacity.sum += capacity.tasks.back();
  }
  return capacity;
}

std::optional<AvailabilityProfile::Start> AvailabilityProfile::earliest(std::size_t entry,
                                                                        const FreeDevices& free_now) {
  const Demand& demand = draft_.job(entry).demand;
  Known& known = known_of(entry);
  if (known.not_before == kNever) return std::nullopt;
  if (known.now.tasks.empty()) known.now = capacity_now(demand, free_now);
  std::vector<NodeLedger> rooms;
  for (std::size_t n = 0; n < draft_.nodes(); ++n) rooms.push_back(draft_.ledger(n));
  FreeDevices free = free_now;
  TaskCapacity capacity = known.now;
  // A start becomes possible only when a job or a reservation ends.
  std::vector<Instant> reservation_ends;
  for (const Reservation& r : reservations_) reservation_ends.push_back(r.to);
  std::sort(reservation_ends.begin(), reservation_ends.end());
  auto end = ends_.begin();
  auto reservation_end = reservation_ends.begin();
  for (Instant at = draft_.view().now; at != kNever;) {
    std::vector<std::uint32_t> nodes;
    if (at >= known.not_before) nodes = nodes_at(entry, at, capacity);
    if (!nodes.empty()) {
      known.not_before = at;
      return Start{at, std::move(nodes)};
    }
    while (reservation_end != reservation_ends.end() && *reservation_end <= at) ++reservation_end;
    at = end != ends_.end() ? end->at : kNever;
    if (reservation_end != reservation_ends.end()) at = std::min(at, *reservation_end);
    for (; end != ends_.end() && end->at <= at; ++end) release(*end, demand, rooms, free, capacity);
  }
  known.not_before = kNever;
  return std::nullopt;
}

void AvailabilityProfile::reserve(std::size_t entry, const Start& start) {
  NodeSet nodes(draft_.nodes());
  for (const std::uint32_t n : start.nodes) nodes.insert(n);
  reservations_.push_back({start.at, later_by(start.at, durations_[entry]), std::move(nodes)});
}

NodeSet AvailabilityProfile::reserved(std::size_t entry, Instant from) const {
  NodeSet nodes(draft_.nodes());
  const Instant to = later_by(from, durations_[entry]);
  for (const Reservation& r : reservations_) {
    if (r.from < to && r.to > from) nodes.insert(r.nodes);
  }
  return nodes;
}

void AvailabilityProfile::started(std::size_t entry, std::vector<DeviceSet> devices) {
  const Instant at = later_by(draft_.view().now, durations_[entry]);
  const auto later = std::upper_bound(ends_.begin(), ends_.end(), at,
                                      [](Instant when, const End& end) { return when < end.at; });
  ends_.insert(later, End{at, entry, std::move(devices)});
  for (Known& known : known_) known.now = {};
}

}  // namespace aliquot
