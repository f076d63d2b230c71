#include "policies/batch/reservations.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "policies/batch/queue.hpp"

namespace aliquot {

Reservations::Reservations(const Draft& draft, const Yields& yields, EstimateFrom from)
    : draft_(draft), spans_(draft.size()), promises_(draft.size(), Booking{kNever, {}}) {
  sort_into_kinds();
  const Instant now = draft.view().now;
  std::vector<Instant> free_at(draft.nodes(), now);
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!draft.placed(i) && !draft.candidate(i)) continue;
    const Job& job = draft.job(i);
    const Instant end = expected_end(draft.view(), job, yields[i], believed_work(job, now, from));
    spans_[i] = end - now;
    for (const Share& share : draft.placement(i)) {
      free_at[share.node.raw] = std::max(free_at[share.node.raw], end);
    }
  }
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    if (kind_of_node_[n] < kinds_.size()) kinds_[kind_of_node_[n]].free.add(now, free_at[n], -1);
  }
}

void Reservations::sort_into_kinds() {
  std::map<std::pair<Cpu, Memory>, std::int64_t> count;
  for (const Node& node : draft_.view().nodes) {
    if (node.usable()) ++count[{node.capacity, node.memory}];
  }
  std::map<std::pair<Cpu, Memory>, std::size_t> number;
  for (const auto& [kind, nodes] : count) {
    number[kind] = kinds_.size();
    kinds_.push_back({kind.first, kind.second, FreeNodes(draft_.view().now, nodes)});
  }
  for (const Node& node : draft_.view().nodes) {
    kind_of_node_.push_back(node.usable() ? number.at({node.capacity, node.memory}) : kinds_.size());
  }
}

std::vector<std::size_t> Reservations::suitable_kinds(const Demand& demand) const {
  std::vector<std::size_t> kinds;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (demand.need <= kinds_[k].capacity && demand.memory <= kinds_[k].memory) kinds.push_back(k);
  }
  return kinds;
}

Instant Reservations::end_of(std::size_t i, Instant start) const { return later_by(start, spans_[i]); }

Instant Reservations::earliest(const std::vector<std::size_t>& kinds, const Demand& demand,
                               Duration span) const {
  Instant start = draft_.view().now;
  if (kinds.size() == 1) {  // from one gap to the next: nothing between them can do
    const FreeNodes& free = kinds_[kinds.front()].free;
    while ((start = free.first_at_least(start, demand.tasks)) != kNever) {
      const Instant short_at = free.first_below(start, demand.tasks);
      if (short_at >= later_by(start, span)) return start;
      start = short_at;
    }
    return kNever;
  }
  while (start != kNever) {
    std::int64_t nodes = 0;
    Instant next = kNever;
    for (std::size_t k : kinds) {
      nodes += std::max<std::int64_t>(0, kinds_[k].free.least(start, later_by(start, span)));
      next = std::min(next, kinds_[k].free.next_step(start));
    }
    if (nodes >= demand.tasks) return start;
    start = next;
  }
  return kNever;
}

Reservations::Counts Reservations::take_smallest(const std::vector<std::size_t>& kinds,
                                                 const Demand& demand, Instant start, Instant end) const {
  Counts counts(kinds_.size(), 0);
  std::int64_t missing = demand.tasks;
  for (std::size_t k : kinds) {
    const std::int64_t there = kinds_.size() == 1 ? missing : kinds_[k].free.least(start, end);
    const std::int64_t some = std::clamp<std::int64_t>(there, 0, missing);
    counts[k] = static_cast<std::uint32_t>(some);
    missing -= some;
  }
  return counts;
}

void Reservations::charge(std::size_t i, const Counts& counts, Instant start, std::int64_t sign) {
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (counts[k] > 0) kinds_[k].free.add(start, end_of(i, start), -sign * counts[k]);
  }
}

void Reservations::set(std::size_t i, Instant start, const Counts& counts) {
  charge(i, counts, start, 1);
  promises_[i] = {start, kinds_.size() == 1 ? Counts{} : counts};
}

Reservations::Counts Reservations::counts_of(std::size_t i, const Booking& promise) const {
  return kinds_.size() == 1 ? Counts{draft_.job(i).demand.tasks} : promise.nodes;
}

bool Reservations::well_formed(std::size_t i, const Booking& promise) const {
  const Demand& demand = draft_.job(i).demand;
  const Counts counts = counts_of(i, promise);
  if (promise.at == kNever || counts.size() != kinds_.size()) return false;
  std::uint64_t nodes = 0;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (counts[k] > 0 && (demand.need > kinds_[k].capacity || demand.memory > kinds_[k].memory))
      return false;
    nodes += counts[k];
  }
  return nodes == demand.tasks;
}

bool Reservations::keep_one(std::size_t i, const Booking& promise) {
  if (!well_formed(i, promise)) return false;
  const Instant start = std::max(promise.at, draft_.view().now);
  const Counts counts = counts_of(i, promise);
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (counts[k] > 0 && kinds_[k].free.least(start, end_of(i, start)) < counts[k]) return false;
  }
  set(i, start, counts);
  return true;
}

Reservations::Kept Reservations::keep(const std::vector<std::size_t>& queue) {
  const auto& promises = draft_.view().memory.reservations;
  Kept kept;
  for (std::size_t i : queue) {
    const auto promise = promises.find(draft_.job(i).id);
    const bool promised = promise != promises.end();
    if (promised && keep_one(i, promise->second)) continue;
    if (promised) kept.all = false;
    kept.fresh.push_back(i);
  }
  return kept;
}

void Reservations::reserve(std::size_t i) {
  const Demand& demand = draft_.job(i).demand;
  const auto kinds = suitable_kinds(demand);
  const Instant start = earliest(kinds, demand, spans_[i]);
  if (start == kNever) return;
  set(i, start, take_smallest(kinds, demand, start, end_of(i, start)));
}

void Reservations::bring_forward(std::size_t i) {
  if (!holds(i) || promises_[i].at == draft_.view().now) return;
  charge(i, counts_of(i, promises_[i]), promises_[i].at, -1);
  promises_[i] = {kNever, {}};
  reserve(i);
}

Placement Reservations::nodes_for(std::size_t i) const {
  Counts missing = counts_of(i, promises_[i]);
  Placement placement;
  for (std::uint32_t n = 0; n < draft_.nodes(); ++n) {
    const std::size_t kind = kind_of_node_[n];
    if (kind == kinds_.size() || missing[kind] == 0 || !idle(draft_, n)) continue;
    --missing[kind];
    placement.push_back({NodeId{n}, 1});
  }
  if (placement.size() != draft_.job(i).demand.tasks) placement.clear();
  return placement;
}

}  // namespace aliquot
