#include "policies/fitting/place_job.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {
namespace {

// At most so many tasks on a node, so that the job still stands on as many nodes as it asks for.
std::uint32_t most_on_a_node(const Demand& demand) {
  const Spread& spread = demand.spread;
  if (spread.per_node > 0) return std::min(spread.per_node, demand.tasks);
  const std::uint32_t nodes = std::clamp(spread.min_nodes, 1U, demand.tasks);
  return demand.tasks - (demand.tasks / nodes) * (nodes - 1);
}

// Takes from the offers, in their order, until all tasks have a place.
std::optional<FittedPlace> take(const Demand& demand, std::vector<Offer> offers) {
  const Spread& spread = demand.spread;
  const auto most = static_cast<std::size_t>(spread.max_nodes > 0 ? spread.max_nodes : demand.tasks);
  std::vector<Offer> taken;
  std::uint32_t missing = demand.tasks;
  for (Offer& each : offers) {
    if (missing == 0 || taken.size() == most) break;
    // What the nodes after this one have to hold as well: a small offer would use up the nodes.
    const auto left = static_cast<std::uint32_t>(most - taken.size());
    const bool last_part = spread.per_node > 0 && missing < spread.per_node;
    const std::uint32_t least =
        spread.per_node > 0 ? (last_part ? missing : spread.per_node) : (missing + left - 1) / left;
    if (each.tasks < least) continue;
    // The nodes still to come get one task each at least.
    const auto nodes = static_cast<std::uint32_t>(taken.size()) + 1;
    const std::uint32_t reserved = spread.min_nodes > nodes ? spread.min_nodes - nodes : 0;
    each.tasks = std::min(each.tasks, missing - std::min(missing - 1, reserved));
    missing -= each.tasks;
    taken.push_back(each);
  }
  if (missing > 0) return std::nullopt;
  std::ranges::sort(taken, {}, &Offer::node);
  FittedPlace place;
  for (const Offer& each : taken) {
    place.placement.push_back({{each.node}, each.tasks});
    if (demand.devices.any()) place.devices.push_back(each.devices);
  }
  return place;
}

// The shortest row of neighbours that can hold it. `offers` in increasing node.
std::optional<FittedPlace> side_by_side(const Demand& demand, const std::vector<Offer>& offers) {
  std::optional<FittedPlace> best;
  for (std::size_t first = 0; first < offers.size(); ++first) {
    std::uint64_t tasks = 0;
    for (std::size_t last = first; last < offers.size(); ++last) {
      const std::size_t length = last - first + 1;
      if (offers[last].node - offers[first].node != length - 1) break;
      if (best && length >= best->placement.size()) break;
      tasks += offers[last].tasks;
      if (tasks < demand.tasks || length < std::min(demand.spread.min_nodes, demand.tasks)) continue;
      const auto from = offers.begin() + static_cast<std::ptrdiff_t>(first);
      auto place = take(demand, {from, from + static_cast<std::ptrdiff_t>(length)});
      if (place && place->placement.size() == length) best = std::move(place);
    }
  }
  return best;
}

}  // namespace

std::optional<FittedPlace> place_job(const Demand& demand, NodeOffers& nodes) {
  Demand on_a_node = demand;
  on_a_node.tasks = most_on_a_node(demand);
  std::vector<Offer> offers;
  for (const std::optional<Offer>& offer : nodes.to(on_a_node)) {
    if (!offer) continue;
    if (demand.tasks == 1 && !offers.empty())
      offers.front() = std::min(offers.front(), *offer);
    else
      offers.push_back(*offer);
  }
  if (demand.spread.contiguous) return side_by_side(demand, offers);
  std::ranges::sort(offers);
  return take(demand, std::move(offers));
}

}  // namespace aliquot
