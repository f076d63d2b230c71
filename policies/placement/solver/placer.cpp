#include "policies/placement/solver/placer.hpp"

#include <algorithm>

#include "policies/placement/model/devices.hpp"
#include "policies/placement/model/nodes.hpp"

namespace aliquot::ip {

namespace {

// A node that holds so many units is as good as one that holds more.
std::uint32_t enough_units(const Request& request) {
  if (request.per_node > 0) return request.per_node;
  if (request.min_nodes > 1) return ceil_of(request.units, request.min_nodes);
  return request.units;
}

}  // namespace

FreeCapacity free_capacity(const Instance& instance) {
  FreeCapacity capacity;
  for (const NodeClass& c : instance.classes) {
    if (c.count > 0) add_nodes(capacity, c.free, c.count);
  }
  return capacity;
}

std::uint32_t Placer::place(FreeCapacity& capacity, std::uint32_t index, NodeOrder order,
                            std::vector<ClassAllocation>* allocations) {
  const Request& request = instance_.requests[index];
  work_ += 3 * capacity.size() + 20;
  if (request.fewest_nodes() > request.most_nodes()) return 0;
  if (!find_candidates(capacity, request, order)) return 0;
  const std::uint32_t nodes = request.per_node > 0 ? choose_per_node(request) : choose_any(request);
  if (nodes > 0) carry_out(capacity, index, allocations);
  return nodes;
}

bool Placer::find_candidates(const FreeCapacity& capacity, const Request& request, NodeOrder order) {
  candidates_.clear();
  choices_.clear();
  const std::int64_t enough = enough_units(request);
  std::uint64_t units_in_all = 0;
  for (std::uint32_t c = 0; c < capacity.size(); ++c) {
    const FreeResources& free = capacity[c].free;
    const std::int64_t units = units_within(free, request);
    const auto device = choose_device(instance_, free, request);
    if (units == 0 || !device) continue;
    // Best fit of a slice: the device with the fewest free parts.
    const std::uint32_t devices = request.is_slice() ? device->parts : free.device_parts();
    const std::int64_t full_share = -std::min(units, enough);
    std::array<std::int64_t, 3> rank = {full_share, devices, units};
    if (order == NodeOrder::spare_devices && request.devices == 0) rank = {devices, full_share, units};
    const auto useful = static_cast<std::uint32_t>(std::min<std::int64_t>(units, request.units));
    candidates_.push_back({rank, c, useful, capacity[c].count, 0, devices, *device});
    units_in_all += std::uint64_t{useful} * capacity[c].count;
  }
  if (units_in_all < request.units) return false;
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.node_class < b.node_class;
  });
  return true;
}

void Placer::choose(std::size_t candidate, std::uint32_t units, std::uint32_t nodes) {
  candidates_[candidate].used += nodes;
  choices_.push_back({candidate, units, nodes});
}

void Placer::choose_nothing() {
  for (Candidate& candidate : candidates_) candidate.used = 0;
  choices_.clear();
}

// The last node, which is not filled: the one with the fewest devices, of these the fullest.
bool Placer::choose_last_node(std::uint32_t units) {
  std::size_t best = candidates_.size();
  const auto rank = [&](std::size_t c) { return std::pair(candidates_[c].devices, candidates_[c].units); };
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    if (candidates_[c].used == candidates_[c].count || candidates_[c].units < units) continue;
    if (best == candidates_.size() || rank(c) < rank(best)) best = c;
  }
  if (best == candidates_.size()) return false;
  choose(best, units, 1);
  return true;
}

// The same number of units on each node, the remainder on one more.
std::uint32_t Placer::choose_per_node(const Request& request) {
  std::uint32_t missing = request.units / request.per_node;
  const std::uint32_t remainder = request.units % request.per_node;
  for (std::size_t c = 0; c < candidates_.size() && missing > 0; ++c) {
    if (candidates_[c].units < request.per_node) continue;
    const std::uint32_t nodes = std::min(candidates_[c].count, missing);
    choose(c, request.per_node, nodes);
    missing -= nodes;
  }
  if (missing > 0 || (remainder > 0 && !choose_last_node(remainder))) return 0;
  return ceil_of(request.units, request.per_node);
}

std::uint32_t Placer::choose_any(const Request& request) {
  std::uint32_t nodes = fill_nodes(request);
  if (request.max_nodes > 0 && nodes > request.max_nodes) {
    largest_first();
    nodes = fill_nodes(request);
    if (nodes > request.max_nodes) return 0;
  }
  if (nodes == 0 || nodes >= request.min_nodes) return nodes;
  return choose_exactly(request, request.min_nodes);
}

// Node after node, each filled; the remainder goes to the node that it fits best.
std::uint32_t Placer::fill_nodes(const Request& request) {
  std::uint32_t left = request.units;
  std::uint32_t nodes = 0;
  for (std::size_t c = 0; c < candidates_.size() && left > 0; ++c) {
    const std::uint32_t units = candidates_[c].units;
    const std::uint32_t filled = std::min(candidates_[c].count, left / units);
    if (filled > 0) choose(c, units, filled);
    left -= filled * units;
    nodes += filled;
    if (left == 0 || filled == candidates_[c].count) continue;
    return choose_last_node(left) ? nodes + 1 : 0;
  }
  return left == 0 ? nodes : 0;
}

void Placer::largest_first() {
  choose_nothing();
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.units > b.units; });
}

// The first nodes that can hold so many units each; true if there are enough, for all units of the request.
bool Placer::choose_nodes_that_hold(std::uint32_t units, std::uint32_t nodes, const Request& request) {
  choose_nothing();
  std::uint64_t held = 0;
  for (std::size_t c = 0; c < candidates_.size() && nodes > 0; ++c) {
    if (candidates_[c].units < units) continue;
    const std::uint32_t some = std::min(candidates_[c].count, nodes);
    choose(c, 0, some);
    nodes -= some;
    held += std::uint64_t{candidates_[c].units} * some;
  }
  return nodes == 0 && held >= request.units;
}

// More nodes than the units need: the first that can hold an even share, else the largest. An even spread
// leaves the same free resources everywhere.
std::uint32_t Placer::choose_exactly(const Request& request, std::uint32_t nodes) {
  if (!choose_nodes_that_hold(ceil_of(request.units, nodes), nodes, request)) {
    largest_first();
    if (!choose_nodes_that_hold(1, nodes, request)) return 0;
  }
  spread_evenly(request);
  return nodes;
}

// Fills the chosen nodes up to a common level, the lowest at which they hold all units.
void Placer::spread_evenly(const Request& request) {
  const auto held_at = [&](std::uint32_t level) {
    std::uint64_t held = 0;
    for (const Choice& c : choices_)
      held += std::uint64_t{std::min(candidates_[c.candidate].units, level)} * c.nodes;
    return held;
  };
  std::uint32_t level = 1;
  for (std::uint32_t high = request.units; level < high;) {
    const std::uint32_t middle = level + (high - level) / 2;
    if (held_at(middle) >= request.units) {
      high = middle;
    } else {
      level = middle + 1;
    }
  }
  auto excess = static_cast<std::uint32_t>(held_at(level) - request.units);
  const std::size_t before = choices_.size();
  for (std::size_t c = 0; c < before; ++c) {
    const std::uint32_t units = candidates_[choices_[c].candidate].units;
    choices_[c].units = std::min(units, level);
    const std::uint32_t lowered = units < level ? 0 : std::min(excess, choices_[c].nodes);
    if (lowered == 0) continue;
    excess -= lowered;
    choices_[c].nodes -= lowered;
    choices_.push_back({choices_[c].candidate, level - 1, lowered});
  }
}

void Placer::carry_out(FreeCapacity& capacity, std::uint32_t index,
                       std::vector<ClassAllocation>* allocations) {
  for (const Choice& choice : choices_) {
    if (choice.nodes == 0) continue;
    const Candidate& candidate = candidates_[choice.candidate];
    capacity[candidate.node_class].count -= choice.nodes;
    FreeResources free = capacity[candidate.node_class].free;
    if (allocations) allocations->push_back({index, free, candidate.device, choice.units, choice.nodes});
    allocate(instance_, instance_.requests[index], choice.units, candidate.device, free);
    add_nodes(capacity, free, choice.nodes);
  }
  std::erase_if(capacity, [](const NodeClass& c) { return c.count == 0; });
}

}  // namespace aliquot::ip
