#include "policies/placement/contiguity.hpp"

#include <algorithm>

#include "policies/placement/cells.hpp"

namespace aliquot::ip {

namespace {

std::uint32_t fewest(const Request& r) {
  const std::uint32_t even = r.per_node > 0 ? r.units / r.per_node + (r.units % r.per_node > 0 ? 1 : 0) : 1;
  return std::max({even, r.min_nodes, 1U});
}

std::uint32_t most(const Request& r) {
  const std::uint32_t even =
      r.per_node > 0 ? r.units / r.per_node + (r.units % r.per_node > 0 ? 1 : 0) : r.units;
  return r.max_nodes > 0 ? std::min(even, r.max_nodes) : even;
}

}  // namespace

std::uint32_t units_on(const Instance& instance, const Request& r, const Cell& free,
                       std::uint16_t& device) {
  const auto picked = pick(instance.kinds[free.kind], free, r);
  if (!picked) return 0;
  device = *picked;
  std::uint32_t units = r.per_node > 0 ? std::min(r.per_node, r.units) : r.units;
  if (r.cpu > 0) units = std::min(units, free.cpu / r.cpu);
  if (r.memory > 0) units = std::min(units, free.memory / r.memory);
  return units;
}

std::vector<Offer> offers(const Instance& instance, std::uint32_t request, const NodeCells& nodes) {
  std::vector<Offer> offered(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (!nodes[n]) continue;
    offered[n].units = units_on(instance, instance.requests[request], *nodes[n], offered[n].device);
  }
  return offered;
}

std::vector<Spot> deal(const Instance& instance, std::uint32_t request, const std::vector<Offer>& offered,
                       std::uint32_t first, std::uint32_t end, bool from_back) {
  const Request& r = instance.requests[request];
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t k = 0; k < end - first; ++k) {
    const std::uint32_t n = from_back ? end - 1 - k : first + k;
    if (offered[n].units > 0) nodes.push_back(n);
  }
  std::vector<Spot> spots;
  std::uint32_t left = r.units;
  const std::uint32_t least = fewest(r);
  for (const std::uint32_t n : nodes) {
    if (left == 0) break;
    // Everybody after it, up to the fewest nodes asked for, gets a unit at least.
    const auto so_far = static_cast<std::uint32_t>(spots.size());
    const std::uint32_t kept = least > so_far + 1 ? least - so_far - 1 : 0;
    if (left <= kept) return {};
    std::uint32_t units = std::min(offered[n].units, left - kept);
    if (r.per_node > 0) units = std::min(r.per_node, left);
    if (units > offered[n].units) continue;  // a later one may hold a whole share
    spots.push_back({request, n, units, offered[n].device});
    left -= units;
  }
  if (left > 0 || spots.size() < least || spots.size() > most(r)) return {};
  std::sort(spots.begin(), spots.end(), [](const Spot& a, const Spot& b) { return a.node < b.node; });
  return spots;
}

std::vector<Spot> shortest_run(const Instance& instance, std::uint32_t request, const NodeCells& nodes) {
  const Request& r = instance.requests[request];
  if (r.units == 0) return {};
  const std::vector<Offer> offered = offers(instance, request, nodes);
  const std::uint32_t whole = r.per_node > 0 ? std::min(r.per_node, r.units) : 1;
  std::vector<Spot> best;
  std::uint64_t room = 0;
  std::uint32_t first = 0;
  for (std::uint32_t n = 0; n < offered.size(); ++n) {
    // The rest of a division may stand on the last node only: that one may be smaller.
    const bool last_does = offered[n].units > 0;
    const bool does = offered[n].units >= whole;
    const auto try_run = [&](std::uint32_t from, std::uint32_t end) {
      if (!best.empty() && best.size() <= fewest(r)) return;
      std::vector<Spot> spots = deal(instance, request, offered, from, end);
      const bool run = !spots.empty() && spots.back().node - spots.front().node + 1 == spots.size();
      if (run && (best.empty() || spots.size() < best.size())) best = std::move(spots);
    };
    room += last_does ? offered[n].units : 0;
    // As short as it can be: what is not needed falls off at the front.
    while (first < n && room - offered[first].units >= r.units && n - first >= fewest(r)) {
      room -= offered[first].units;
      ++first;
    }
    if (last_does && room >= r.units && n + 1 - first >= fewest(r)) try_run(first, n + 1);
    if (!does) {
      first = n + 1;
      room = 0;
    }
  }
  return best;
}

void take_spots(const Instance& instance, const std::vector<Spot>& spots, NodeCells& nodes) {
  for (const Spot& spot : spots) {
    const Request& r = instance.requests[spot.request];
    Cell& cell = *nodes[spot.node];
    take(instance, r, spot.units, spot.device, cell);
  }
}

void give_spots(const Instance& instance, const std::vector<Spot>& spots, NodeCells& nodes) {
  for (const Spot& spot : spots) {
    const Request& r = instance.requests[spot.request];
    Cell& cell = *nodes[spot.node];
    cell.cpu += spot.units * r.cpu;
    cell.memory += spot.units * r.memory;
    cell.devices[spot.device] = static_cast<std::uint16_t>(cell.devices[spot.device] + r.devices);
  }
}

}  // namespace aliquot::ip
