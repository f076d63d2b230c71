#include "policies/placement/forecast.hpp"

#include <algorithm>

#include "policies/batch/expected_end.hpp"

namespace aliquot {

namespace {

Instant later_by(Instant start, Duration span) {
  return start.raw > kNever.raw - span.raw ? kNever : start + span;
}

}  // namespace

Forecast::Forecast(const Draft& draft) : draft_(draft), spans_(draft.size()) {
  const Yields yields = fair_yields(draft);
  const Instant now = draft.view().now;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const bool placed = draft.placed(i);
    if (!placed && !draft.candidate(i)) continue;
    const Job& job = draft.job(i);
    const Yield yield = placed && yields[i].raw > 0 ? yields[i] : kFullYield;
    const Instant end = expected_end(draft.view(), job, yield, believed_work(job, now));
    spans_[i] = std::max(end - now, Duration{1});
    if (placed) ends_.push_back({later_by(now, spans_[i]), i, job.devices});
  }
  std::stable_sort(ends_.begin(), ends_.end(), [](const End& a, const End& b) { return a.at < b.at; });
}

std::uint32_t Forecast::tasks_on(std::size_t n, const NodeLedger& room, const FreeDevices& free,
                                 const Demand& demand) const {
  const Node& node = draft_.node(n);
  if (!node.usable()) return 0;
  std::uint32_t tasks = whole_tasks(node, room, demand);
  if (demand.spread.per_node > 0) tasks = std::min(tasks, demand.spread.per_node);
  if (tasks == 0 || !demand.devices.any()) return tasks;
  return pick_devices(node, free.on(node.id), demand.devices) ? tasks : 0;
}

void Forecast::release(const End& end, const Demand& demand, std::vector<NodeLedger>& rooms,
                       FreeDevices& free, Offer& offer) const {
  const Demand& held = draft_.job(end.entry).demand;
  const Charge each = charge_of_task(held);
  const Shares shares = draft_.placement(end.entry);
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const std::uint32_t n = shares[k].node.raw;
    rooms[n].take(each, -std::int64_t{shares[k].units});
    if (k < end.devices.size()) free.change(shares[k].node, end.devices[k], held.devices.parts, 1);
    const std::uint32_t tasks = tasks_on(n, rooms[n], free, demand);
    offer.together += tasks;
    offer.together -= offer.tasks[n];
    offer.tasks[n] = tasks;
  }
}

std::vector<std::uint32_t> Forecast::fitting(std::size_t entry, Instant from, const Offer& offer) const {
  const Demand& demand = draft_.job(entry).demand;
  if (offer.together < demand.tasks) return {};
  const Barred out = barred(entry, from);
  const std::size_t all = offer.tasks.size();
  const std::uint32_t least = std::max(1U, std::min(demand.spread.per_node, demand.tasks));
  std::uint64_t room_for = 0;
  for (std::size_t n = 0; n < all; ++n) {
    if (!is_barred(out, n) && offer.tasks[n] >= least) room_for += offer.tasks[n];
  }
  const bool uneven = demand.spread.per_node > 0 && demand.tasks % demand.spread.per_node > 0;
  if (room_for < demand.tasks && !uneven) return {};
  ip::NodeCells cells(all);
  for (std::size_t n = 0; n < all; ++n) {
    if (is_barred(out, n) || offer.tasks[n] == 0) continue;
    cells[n] = ip::Cell{};
    cells[n]->cpu = offer.tasks[n];
  }
  std::vector<std::uint32_t> nodes;
  for (const ip::Spot& spot : on_fewest(demand, cells)) nodes.push_back(spot.node);
  return nodes;
}

Forecast::Alike& Forecast::alike(std::size_t entry) {
  const Demand& demand = draft_.job(entry).demand;
  for (Alike& known : known_) {
    if (known.span == spans_[entry] && *known.demand == demand) return known;
  }
  return known_.emplace_back(Alike{&demand, spans_[entry], draft_.view().now, {}});
}

Forecast::Offer Forecast::offer_now(const Demand& demand, const FreeDevices& free) const {
  Offer offer;
  offer.tasks.reserve(draft_.nodes());
  for (std::size_t n = 0; n < draft_.nodes(); ++n) {
    offer.tasks.push_back(tasks_on(n, draft_.ledger(n), free, demand));
    offer.together += offer.tasks.back();
  }
  return offer;
}

std::optional<Forecast::Opening> Forecast::earliest(std::size_t entry, const FreeDevices& now_free) {
  const Demand& demand = draft_.job(entry).demand;
  Alike& known = alike(entry);
  if (known.not_before == kNever) return std::nullopt;
  if (known.now.tasks.empty()) known.now = offer_now(demand, now_free);
  std::vector<NodeLedger> rooms;
  rooms.reserve(draft_.nodes());
  for (std::size_t n = 0; n < draft_.nodes(); ++n) rooms.push_back(draft_.ledger(n));
  FreeDevices free = now_free;
  Offer offer = known.now;
  // Something changes only when somebody ends, or a reservation does.
  std::vector<Instant> later;
  for (const Reservation& held : reservations_) later.push_back(held.to);
  std::sort(later.begin(), later.end());
  auto end = ends_.begin();
  auto other = later.begin();
  for (Instant at = draft_.view().now; at != kNever;) {
    std::vector<std::uint32_t> nodes;
    if (at >= known.not_before) nodes = fitting(entry, at, offer);
    if (!nodes.empty()) {
      known.not_before = at;
      return Opening{at, std::move(nodes)};
    }
    Instant next = end != ends_.end() ? end->at : kNever;
    while (other != later.end() && *other <= at) ++other;
    if (other != later.end()) next = std::min(next, *other);
    at = next;
    for (; end != ends_.end() && end->at <= at; ++end) release(*end, demand, rooms, free, offer);
  }
  known.not_before = kNever;
  return std::nullopt;
}

void Forecast::reserve(std::size_t entry, const Opening& opening) {
  Barred nodes((draft_.nodes() + 63) / 64, 0);
  for (const std::uint32_t n : opening.nodes) nodes[n / 64] |= std::uint64_t{1} << n % 64;
  reservations_.push_back({opening.at, later_by(opening.at, spans_[entry]), std::move(nodes)});
}

Barred Forecast::barred(std::size_t entry, Instant from) const {
  Barred out((draft_.nodes() + 63) / 64, 0);
  const Instant to = later_by(from, spans_[entry]);
  for (const Reservation& held : reservations_) {
    if (held.from >= to || held.to <= from) continue;
    for (std::size_t w = 0; w < out.size(); ++w) out[w] |= held.nodes[w];
  }
  return out;
}

void Forecast::started(std::size_t entry, std::vector<DeviceSet> devices) {
  const End fresh{later_by(draft_.view().now, spans_[entry]), entry, std::move(devices)};
  const auto at = std::upper_bound(ends_.begin(), ends_.end(), fresh.at,
                                   [](Instant when, const End& end) { return when < end.at; });
  ends_.insert(at, fresh);
  for (Alike& known : known_) known.now = {};
}

}  // namespace aliquot
