#include "policies/placement/packing.hpp"

#include <algorithm>
#include <utility>

namespace aliquot::ip {

namespace {

// Half of the product, which then fits the type whatever is asked for.
std::int64_t half_product(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int64_t>(std::uint64_t{a} * b / 2);
}

// How much of each node the request is bound to take: less choice, earlier.
std::int64_t cpu_per_node(const Request& r) {
  std::uint32_t units = 1;
  if (r.per_node > 0) {
    units = r.per_node;
  } else if (r.max_nodes > 0) {
    units = r.units / r.max_nodes + (r.units % r.max_nodes > 0 ? 1 : 0);
  }
  return half_product(units, r.cpu);
}

using Rank = std::array<std::int64_t, 3>;

// Smaller: earlier.
Rank rank_of(const Request& r, Order order) {
  const std::int64_t named = r.devices > 0 && r.model != kAny ? 1 : 0;
  const std::int64_t devices = 2 * std::int64_t{r.devices} + named;
  const std::int64_t cpu = cpu_per_node(r);
  const std::int64_t all = half_product(r.units, r.cpu);
  switch (order) {
    case Order::devices_first:
      return {-devices, -cpu, -all};
    case Order::bulk_first:
      return {-cpu, -devices, -all};
    case Order::large_first:
      return {-all, -devices, -cpu};
  }
  return {};
}

}  // namespace

const std::array<Recipe, 7>& Packer::recipes() {
  static constexpr std::array<Recipe, 7> kRecipes = {{
      {Order::devices_first, Style::spare_devices},
      {Order::devices_first, Style::fill_up},
      {Order::devices_first, Style::few_nodes},
      {Order::bulk_first, Style::spare_devices},
      {Order::bulk_first, Style::fill_up},
      {Order::bulk_first, Style::few_nodes},
      {Order::large_first, Style::few_nodes},
  }};
  return kRecipes;
}

Packer::Packer(Placer& placer, const Rooms& start) : placer_(placer), start_(start) {
  const std::vector<Request>& requests = placer.instance().requests;
  for (const Order order : {Order::devices_first, Order::bulk_first, Order::large_first}) {
    std::vector<std::pair<Rank, std::uint32_t>> ranked;
    ranked.reserve(requests.size());
    for (std::uint32_t r = 0; r < requests.size(); ++r) ranked.push_back({rank_of(requests[r], order), r});
    std::sort(ranked.begin(), ranked.end());
    for (const auto& [rank, r] : ranked) order_[static_cast<std::size_t>(order)].push_back(r);
  }
}

bool Packer::add(Packing& packing, std::uint32_t request) {
  const std::uint32_t nodes = placer_.place(packing.rooms, request, packing.style);
  if (nodes == 0) return false;
  packing.sequence.push_back(request);
  packing.nodes += nodes;
  packing.value += value_of(placer_.instance(), placer_.instance().requests[request], nodes);
  return true;
}

bool Packer::pack(const Flags& set, Recipe recipe, Packing& packing) {
  packing.rooms = start_;
  packing.sequence.clear();
  packing.style = recipe.style;
  packing.value = 0;
  packing.nodes = 0;
  placer_.add_work(set.size() / 8);
  for (const std::uint32_t request : order_[static_cast<std::size_t>(recipe.order)]) {
    if (set[request] != 0 && !add(packing, request)) return false;
  }
  return true;
}

void Packer::pack_some(const Flags& set, Recipe recipe, Packing& packing) {
  packing = nothing(recipe.style);
  for (const std::uint32_t request : order_[static_cast<std::size_t>(recipe.order)]) {
    if (set[request] != 0) add(packing, request);
  }
}

bool Packer::pack_somehow(const Flags& set, Packing& packing) {
  if (pack(set, recipes()[favourite_], packing)) return true;
  for (std::size_t r = 0; r < recipes().size(); ++r) {
    if (r == favourite_ || !pack(set, recipes()[r], packing)) continue;
    favourite_ = r;
    return true;
  }
  return false;
}

void Packer::write(const Packing& packing, Answer& answer) {
  answer.chosen.clear();
  answer.takes.clear();
  Rooms rooms = start_;
  for (const std::uint32_t request : packing.sequence) {
    const std::uint32_t nodes = placer_.place(rooms, request, packing.style, &answer.takes);
    answer.chosen.push_back({request, nodes});
  }
  std::sort(answer.chosen.begin(), answer.chosen.end(),
            [](const Chosen& a, const Chosen& b) { return a.request < b.request; });
  answer.incumbent = packing.value;
}

Flags flags_of(const Packing& packing, std::size_t requests) {
  Flags flags(requests, 0);
  for (const std::uint32_t request : packing.sequence) flags[request] = 1;
  return flags;
}

}  // namespace aliquot::ip
