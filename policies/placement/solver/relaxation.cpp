#include "policies/placement/solver/relaxation.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "policies/tpds2012/packing_lp.hpp"

namespace aliquot::ip {

namespace {

Amounts capacity_of(const FreeCapacity& classes) {
  Amounts capacity{};
  for (const NodeClass& c : classes) {
    const std::int64_t count = c.count;
    const std::int64_t parts = c.free.device_parts();
    capacity[kCpu] += count * c.free.cpu;
    capacity[kMemory] += count * c.free.memory;
    capacity[kDevices] += count * parts;
    if (parts > 0) capacity[kCpuBesideDevices] += count * c.free.cpu;
  }
  return capacity;
}

Amounts demand_of(const Request& r, std::int64_t nodes) {
  Amounts demand{};
  demand[kCpu] = std::int64_t{r.units} * r.cpu;
  demand[kMemory] = std::int64_t{r.units} * r.memory;
  if (r.devices == 0) return demand;
  demand[kDevices] = nodes * r.device_parts();
  demand[kCpuBesideDevices] = demand[kCpu];
  return demand;
}

// Adds the requests that fit alone, by shape, of each shape by falling weight.
void add_items(Relaxation& relaxation, Placer& placer, const FreeCapacity& capacity) {
  const std::vector<Request>& requests = placer.instance().requests;
  std::vector<std::uint32_t> order(requests.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Shape& shape = requests[a];
    if (shape != requests[b]) return shape < requests[b];
    return requests[a].weight > requests[b].weight;
  });
  Item item;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Request& request = requests[order[k]];
    if (k == 0 || !same_shape(request, requests[order[k - 1]])) {
      FreeCapacity alone = capacity;
      item.nodes = placer.place(alone, order[k], NodeOrder::few_nodes);
      if (item.nodes > 0) item.demand = demand_of(request, item.nodes);
      if (item.nodes > 0) item.shape = static_cast<std::uint32_t>(relaxation.shapes++);
    }
    if (item.nodes == 0) continue;
    item.request = order[k];
    item.value = objective_value(placer.instance(), request, item.nodes) << kFractionBits;
    relaxation.items.push_back(item);
  }
}

// The dual values of the linear program.
void set_duals(Relaxation& relaxation, Placer& placer) {
  Value most_value = 1;
  for (const Item& item : relaxation.items) most_value = std::max(most_value, item.value);
  PackingLp program;
  program.rows.resize(kAggregates);
  for (const std::int64_t amount : relaxation.capacity)
    program.limits.push_back(static_cast<double>(amount));
  for (const Item& item : relaxation.items) {
    // The program's variables count value: their coefficients are the demand for a unit of value.
    const double value = static_cast<double>(item.value) / static_cast<double>(most_value);
    if (value <= 0) continue;
    program.most.push_back(value);
    for (std::size_t a = 0; a < kAggregates; ++a)
      program.rows[a].push_back(static_cast<double>(item.demand[a]) / value);
  }
  if (program.most.empty()) return;
  const PackingLpSolution solution = solve(program);
  placer.add_work(program.most.size() * (kAggregates + 1) * 20);
  for (std::size_t a = 0; a < kAggregates; ++a)
    relaxation.dual[a] = static_cast<Value>(solution.prices[a] * static_cast<double>(most_value));
}

Value dual_value(const Relaxation& relaxation, const Amounts& amounts) {
  Value value = 0;
  for (std::size_t a = 0; a < kAggregates; ++a) value += relaxation.dual[a] * amounts[a];
  return value;
}

}  // namespace

Relaxation relax(Placer& placer, const FreeCapacity& capacity) {
  Relaxation relaxation;
  relaxation.capacity = capacity_of(capacity);
  add_items(relaxation, placer, capacity);
  set_duals(relaxation, placer);
  relaxation.bound = dual_value(relaxation, relaxation.capacity);
  for (Item& item : relaxation.items) {
    const Value cost = dual_value(relaxation, item.demand);
    item.reduced_value = item.value - cost;
    relaxation.bound += std::max<Value>(item.reduced_value, 0);
    item.efficiency = cost > 0 ? static_cast<double>(item.value) / static_cast<double>(cost)
                               : std::numeric_limits<double>::max();
  }
  // Stable: the items of one shape stay in the order of their weights.
  std::stable_sort(relaxation.items.begin(), relaxation.items.end(),
                   [](const Item& a, const Item& b) { return a.efficiency > b.efficiency; });
  return relaxation;
}

}  // namespace aliquot::ip
