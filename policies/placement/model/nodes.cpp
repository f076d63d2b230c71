#include "policies/placement/model/nodes.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "policies/placement/model/devices.hpp"

namespace aliquot::ip {
namespace {

struct Granularity {
  std::uint32_t cpu = 1;
  std::uint32_t memory = 1;
  std::uint32_t parts = 1;
};

enum class Rounding : std::uint8_t { down, up };

std::uint32_t rounded(std::uint32_t amount, std::uint32_t granule, Rounding rounding) {
  const std::uint32_t down = amount - amount % granule;
  if (rounding == Rounding::down || down == amount) return down;
  const std::uint64_t up = std::uint64_t{down} + granule;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(up, std::numeric_limits<std::uint32_t>::max()));
}

NodeResources rounded(const NodeResources& nodes, const Granularity& granularity, Rounding rounding) {
  NodeResources coarse = nodes;
  for (auto& free : coarse) {
    if (!free) continue;
    free->cpu = rounded(free->cpu, granularity.cpu, rounding);
    free->memory = rounded(free->memory, granularity.memory, rounding);
    for (FreeDevice& partial : free->partials) {
      const std::uint32_t parts = rounded(partial.parts, granularity.parts, rounding);
      partial.parts = static_cast<std::uint16_t>(std::min<std::uint32_t>(parts, kWholeDevice));
      if (parts == 0) partial = {};
    }
    std::sort(free->partials.begin(), free->partials.end(), std::greater<>());
  }
  return coarse;
}

template <class Amount>
std::size_t different_amounts(const NodeResources& nodes, Amount FreeResources::*of) {
  std::set<Amount> seen;
  for (const auto& free : nodes)
    if (free) seen.insert((*free).*of);
  return seen.size();
}

bool has_more_classes(const NodeResources& nodes, std::size_t most) {
  std::vector<FreeResources> seen;
  for (const auto& free : nodes) {
    if (!free || std::find(seen.rbegin(), seen.rend(), *free) != seen.rend()) continue;
    if (seen.size() == most) return true;
    seen.push_back(*free);
  }
  return false;
}

}  // namespace

void add_nodes(std::vector<NodeClass>& classes, const FreeResources& free, std::uint32_t count) {
  // From the back: neighbours are often alike.
  const auto same =
      std::find_if(classes.rbegin(), classes.rend(), [&](const NodeClass& c) { return c.free == free; });
  if (same != classes.rend()) {
    same->count += count;
  } else {
    classes.push_back({free, count});
  }
}

std::vector<NodeClass> classes_of(const NodeResources& nodes) {
  std::vector<NodeClass> classes;
  for (const auto& free : nodes) {
    if (free) add_nodes(classes, *free, 1);
  }
  return classes;
}

void allocate(const Instance& instance, const std::vector<NodeAllocation>& allocations,
              NodeResources& nodes) {
  for (const NodeAllocation& a : allocations)
    allocate(instance, instance.requests[a.request], a.units, a.device, *nodes[a.node]);
}

void release(const Instance& instance, const std::vector<NodeAllocation>& allocations,
             NodeResources& nodes) {
  for (const NodeAllocation& a : allocations) {
    const Request& request = instance.requests[a.request];
    FreeResources& free = *nodes[a.node];
    free.cpu += a.units * request.cpu;
    free.memory += a.units * request.memory;
    std::uint16_t& whole = free.devices[a.device.model];
    whole = static_cast<std::uint16_t>(whole + request.devices);
  }
}

std::vector<NodeClass> coarsen(NodeResources& nodes, std::size_t most) {
  constexpr std::uint32_t kCoarsest = std::uint32_t{1} << 31;
  if (!has_more_classes(nodes, most)) return {};
  Granularity granularity;
  NodeResources coarse = nodes;
  // The resource with the most different amounts is rounded first, each time to granules twice as large.
  while (has_more_classes(coarse, most)) {
    const std::size_t cpus =
        granularity.cpu < kCoarsest ? different_amounts(coarse, &FreeResources::cpu) : 0;
    const std::size_t memories =
        granularity.memory < kCoarsest ? different_amounts(coarse, &FreeResources::memory) : 0;
    const std::size_t partials =
        granularity.parts <= kWholeDevice ? different_amounts(coarse, &FreeResources::partials) : 0;
    const std::size_t most_amounts = std::max({cpus, memories, partials});
    if (most_amounts <= 1) break;  // the classes differ in whole devices only
    (partials == most_amounts ? granularity.parts
     : cpus == most_amounts   ? granularity.cpu
                              : granularity.memory) *= 2;
    coarse = rounded(nodes, granularity, Rounding::down);
  }
  std::vector<NodeClass> ceiling = classes_of(rounded(nodes, granularity, Rounding::up));
  nodes = std::move(coarse);
  return ceiling;
}

}  // namespace aliquot::ip
