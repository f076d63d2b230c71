#include "policies/placement/solver/packer.hpp"

#include <algorithm>
#include <numeric>

namespace aliquot::ip {

namespace {

// What the request needs of each of its nodes at least: the more, the fewer nodes it can choose from.
std::uint64_t cpu_per_node(const Request& r) {
  std::uint32_t units = 1;
  if (r.per_node > 0) {
    units = r.per_node;
  } else if (r.max_nodes > 0) {
    units = ceil_of(r.units, r.max_nodes);
  }
  return std::uint64_t{units} * r.cpu;
}

using Rank = std::array<std::uint64_t, 3>;

// Larger: earlier.
Rank rank_of(const Request& r, RequestOrder order) {
  const std::uint64_t model_matters = r.devices > 0 && !r.models.empty() ? 1 : 0;
  const std::uint64_t devices = 2 * std::uint64_t{r.devices} + model_matters;
  const std::uint64_t cpu = cpu_per_node(r);
  const std::uint64_t all_cpu = std::uint64_t{r.units} * r.cpu;
  switch (order) {
    case RequestOrder::devices_first:
      return {devices, cpu, all_cpu};
    case RequestOrder::large_per_node:
      return {cpu, devices, all_cpu};
    case RequestOrder::large_first:
      return {all_cpu, devices, cpu};
  }
  return {};
}

}  // namespace

RequestSet set_of(const std::vector<std::uint32_t>& members, std::size_t requests) {
  RequestSet set(requests, false);
  for (const std::uint32_t request : members) set[request] = true;
  return set;
}

Packer::Packer(Placer& placer, const FreeCapacity& capacity) : placer_(placer), capacity_(capacity) {
  const std::vector<Request>& requests = placer.instance().requests;
  for (std::size_t order = 0; order < ordered_.size(); ++order) {
    std::vector<Rank> ranks;
    for (const Request& r : requests) ranks.push_back(rank_of(r, static_cast<RequestOrder>(order)));
    ordered_[order].resize(requests.size());
    std::iota(ordered_[order].begin(), ordered_[order].end(), 0U);
    std::stable_sort(ordered_[order].begin(), ordered_[order].end(),
                     [&](std::uint32_t a, std::uint32_t b) { return ranks[a] > ranks[b]; });
  }
}

bool Packer::add(Packing& packing, std::uint32_t request) {
  const std::uint32_t nodes = placer_.place(packing.left, request, packing.order);
  if (nodes == 0) return false;
  packing.sequence.push_back(request);
  packing.nodes += nodes;
  packing.value += objective_value(placer_.instance(), placer_.instance().requests[request], nodes);
  return true;
}

bool Packer::pack_all(const RequestSet& set, PackingHeuristic heuristic, Packing& packing) {
  packing = empty(heuristic.nodes);
  placer_.add_work(set.size() / 8);
  for (const std::uint32_t request : ordered(heuristic.requests)) {
    if (set[request] && !add(packing, request)) return false;
  }
  return true;
}

bool Packer::pack_all(const RequestSet& set, Packing& packing) {
  if (pack_all(set, kPackingHeuristics[last_success_], packing)) return true;
  for (std::size_t h = 0; h < kPackingHeuristics.size(); ++h) {
    if (h == last_success_ || !pack_all(set, kPackingHeuristics[h], packing)) continue;
    last_success_ = h;
    return true;
  }
  return false;
}

Packing Packer::pack_some(const RequestSet& set, PackingHeuristic heuristic) {
  Packing packing = empty(heuristic.nodes);
  for (const std::uint32_t request : ordered(heuristic.requests)) {
    if (set[request]) add(packing, request);
  }
  return packing;
}

Packing Packer::pack_most(const RequestSet& set) {
  Packing packing;
  return pack_all(set, packing) ? packing : pack_some(set, kPackingHeuristics.front());
}

Answer Packer::answer(const Packing& packing) {
  Answer answer;
  FreeCapacity capacity = capacity_;
  for (const std::uint32_t request : packing.sequence) {
    const std::uint32_t nodes = placer_.place(capacity, request, packing.order, &answer.allocations);
    answer.chosen.push_back({request, nodes});
  }
  std::sort(answer.chosen.begin(), answer.chosen.end(),
            [](const Chosen& a, const Chosen& b) { return a.request < b.request; });
  answer.incumbent = packing.value;
  return answer;
}

}  // namespace aliquot::ip
