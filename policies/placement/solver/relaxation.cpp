#include "policies/placement/solver/relaxation.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "policies/tpds2012/packing_lp.hpp"

namespace aliquot::ip {

namespace {

constexpr std::size_t kMostColumns = 256;      // of the linear program
constexpr std::size_t kMostSumWork = 200'000;  // words looked at for the subset sums

auto shape_of(const Request& r) {
  return std::tie(r.units, r.cpu, r.memory, r.min_nodes, r.max_nodes, r.per_node, r.devices, r.parts,
                  r.model);
}

// Models asked for by name, those that most requests ask for first.
std::vector<std::uint16_t> models_asked(const Instance& instance) {
  std::vector<std::pair<int, std::uint16_t>> counts;
  for (const Request& r : instance.requests) {
    if (r.devices == 0 || r.model == kAny) continue;
    const auto same =
        std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.second == r.model; });
    if (same != counts.end()) {
      --same->first;
    } else {
      counts.push_back({-1, r.model});
    }
  }
  std::sort(counts.begin(), counts.end());
  std::vector<std::uint16_t> models;
  for (const auto& [count, model] : counts) models.push_back(model);
  if (models.size() > kModelAggregates) models.resize(kModelAggregates);
  return models;
}

// What the aggregates of an instance mean.
struct Context {
  std::vector<std::uint16_t> models;
  std::uint32_t most_cpu = 0;  // free on one node
  bool all_need_cpu = true;

  Context(const Instance& instance, const FreeCapacity& capacity) : models(models_asked(instance)) {
    for (const Request& request : instance.requests) all_need_cpu = all_need_cpu && request.cpu > 0;
    for (const NodeClass& c : capacity) most_cpu = std::max(most_cpu, c.free.cpu);
  }
};

std::int64_t parts_of_model(const FreeResources& free, std::size_t model) {
  std::int64_t parts = std::int64_t{kWholeDevice} * free.devices[model];
  for (const FreeDevice& partial : free.partials) parts += partial.model == model ? partial.parts : 0;
  return parts;
}

Amounts capacity_of(const Instance& instance, const FreeCapacity& classes, const Context& context) {
  Amounts capacity{};
  for (const NodeClass& c : classes) {
    const std::int64_t count = c.count;
    capacity[kCpu] += count * c.free.cpu;
    capacity[kMemory] += count * c.free.memory;
    capacity[kLargeNodes] += 2 * std::int64_t{c.free.cpu} > context.most_cpu ? count : 0;
    if (context.all_need_cpu && c.free.cpu == 0) continue;  // no request can use its devices
    const std::int64_t parts = c.free.device_parts();
    capacity[kDevices] += count * parts;
    capacity[kWholeDevices] += count * kWholeDevice * c.free.whole_devices();
    if (parts > 0) capacity[kCpuBesideDevices] += count * c.free.cpu;
    const NodeKind& kind = instance.kinds[c.free.kind];
    for (std::size_t d = 0; d < kind.size() && d < kModelsPerNode; ++d) {
      for (std::size_t m = 0; m < context.models.size(); ++m) {
        if (kind[d] == context.models[m]) capacity[kFirstModel + m] += count * parts_of_model(c.free, d);
      }
    }
  }
  return capacity;
}

Amounts demand_of(const Request& r, std::int64_t nodes, const Context& context) {
  Amounts demand{};
  const std::int64_t cpu = std::int64_t{r.units} * r.cpu;
  demand[kCpu] = cpu;
  demand[kMemory] = std::int64_t{r.units} * r.memory;
  demand[kJobs] = 1;
  // More than half of the largest node on each node; the remainder of the division may take less.
  if (2 * std::int64_t{r.per_node} * r.cpu > context.most_cpu) demand[kLargeNodes] = r.units / r.per_node;
  if (r.devices == 0) return demand;
  demand[kDeviceJobs] = 1;
  demand[kDevices] = nodes * r.device_parts();
  if (!r.is_slice()) demand[kWholeDevices] = demand[kDevices];
  demand[kCpuBesideDevices] = cpu;
  for (std::size_t m = 0; m < context.models.size(); ++m) {
    if (r.model == context.models[m]) demand[kFirstModel + m] = demand[kDevices];
  }
  return demand;
}

// Of the requests that fit alone, by shape, of each shape by falling weight.
std::vector<Item> items_of(Placer& placer, const FreeCapacity& capacity, const Context& context,
                           std::size_t& shapes) {
  const Instance& instance = placer.instance();
  std::vector<std::uint32_t> order(instance.requests.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Request& x = instance.requests[a];
    const Request& y = instance.requests[b];
    if (!same_shape(x, y)) return shape_of(x) < shape_of(y);
    return x.weight != y.weight ? x.weight > y.weight : a < b;
  });
  std::vector<Item> items;
  Item item;
  shapes = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Request& request = instance.requests[order[k]];
    if (k == 0 || !same_shape(request, instance.requests[order[k - 1]])) {
      FreeCapacity alone = capacity;
      item.nodes = placer.place(alone, order[k], NodeOrder::few_nodes);
      if (item.nodes > 0) item.demand = demand_of(request, item.nodes, context);
      item.shape = static_cast<std::uint32_t>(shapes);
      shapes += item.nodes > 0 ? 1 : 0;
    }
    if (item.nodes == 0) continue;
    item.request = order[k];
    item.value = objective_value(instance, request, item.nodes) << kFractionBits;
    items.push_back(item);
  }
  return items;
}

// How many of the items that `counter` counts fit into one aggregate alone: the smallest of them.
std::int64_t most_items(const std::vector<Item>& items, Aggregate aggregate, Aggregate counter,
                        std::int64_t capacity) {
  std::vector<std::int64_t> sizes;
  for (const Item& item : items) {
    if (item.demand[counter] > 0) sizes.push_back(item.demand[aggregate]);
  }
  std::sort(sizes.begin(), sizes.end());
  std::int64_t count = 0;
  for (const std::int64_t size : sizes) {
    capacity -= size;
    if (capacity < 0) break;
    ++count;
  }
  return count;
}

// The most of an aggregate that any set of items takes: subset sums, as bits, in units of the common
// divisor.
std::int64_t largest_sum(const std::vector<Item>& items, Aggregate aggregate, std::int64_t capacity,
                         Placer& placer) {
  std::int64_t unit = 0;
  for (const Item& item : items) unit = std::gcd(unit, item.demand[aggregate]);
  if (unit == 0) return capacity;
  const auto most = static_cast<std::size_t>(capacity / unit);
  const std::size_t words = most / 64 + 1;
  if (words * items.size() > kMostSumWork) return capacity / unit * unit;
  placer.add_work(words * items.size() / 2);
  std::vector<std::uint64_t> sums(words, 0);
  const auto reached = [&](std::size_t sum) { return (sums[sum / 64] >> (sum % 64) & 1) != 0; };
  sums[0] = 1;
  for (const Item& item : items) {
    const auto shift = static_cast<std::size_t>(item.demand[aggregate] / unit);
    if (shift == 0 || shift > most) continue;
    const std::size_t whole_words = shift / 64;
    const std::size_t bits = shift % 64;
    for (std::size_t w = words; w-- > whole_words;) {
      std::uint64_t shifted = sums[w - whole_words] << bits;
      if (bits > 0 && w > whole_words) shifted |= sums[w - whole_words - 1] >> (64 - bits);
      sums[w] |= shifted;
    }
    if (reached(most)) break;
  }
  std::size_t sum = most;
  while (!reached(sum)) --sum;
  return static_cast<std::int64_t>(sum) * unit;
}

// Lowers the capacities to what sets of items can really take, and keeps the constraints that all items
// together would violate.
void tighten(Relaxation& relaxation, Placer& placer) {
  std::vector<Item>& items = relaxation.items;
  Amounts& capacity = relaxation.capacity;
  for (const Aggregate aggregate : {kCpu, kDevices})
    capacity[aggregate] = largest_sum(items, aggregate, capacity[aggregate], placer);
  capacity[kJobs] = most_items(items, kCpu, kJobs, capacity[kCpu]);
  capacity[kDeviceJobs] =
      std::min(most_items(items, kDevices, kDeviceJobs, capacity[kDevices]),
               most_items(items, kCpuBesideDevices, kDeviceJobs, capacity[kCpuBesideDevices]));
  Amounts asked{};
  for (const Item& item : items) {
    for (std::size_t a = 0; a < kAggregates; ++a) asked[a] += item.demand[a];
  }
  relaxation.constraints = 1;
  for (std::size_t a = 1; a < kAggregates; ++a) {
    if (asked[a] <= capacity[a]) continue;
    const std::size_t c = relaxation.constraints++;
    capacity[c] = capacity[a];
    relaxation.aggregate[c] = a;
    for (Item& item : items) item.demand[c] = item.demand[a];
  }
}

// The dual values of the linear program; neighbours of the same shape share a column where the items are
// many.
void set_duals(Relaxation& relaxation, Placer& placer) {
  const std::vector<Item>& items = relaxation.items;
  const std::size_t constraints = relaxation.constraints;
  Value most_value = 1;
  for (const Item& item : items) most_value = std::max(most_value, item.value);
  const std::size_t bundle = (items.size() + kMostColumns - 1) / kMostColumns;
  PackingLp program;
  program.rows.resize(constraints);
  for (std::size_t c = 0; c < constraints; ++c)
    program.limits.push_back(static_cast<double>(relaxation.capacity[c]));
  for (std::size_t i = 0; i < items.size();) {
    Value value = 0;
    Amounts demand{};
    std::size_t end = i;
    for (; end < items.size() && end < i + bundle && items[end].shape == items[i].shape; ++end) {
      value += items[end].value;
      for (std::size_t c = 0; c < constraints; ++c) demand[c] += items[end].demand[c];
    }
    i = end;
    // The program's variables count value: their coefficients are the demand for a unit of value.
    const double unit = static_cast<double>(value) / static_cast<double>(most_value);
    if (unit <= 0) continue;
    program.most.push_back(unit);
    for (std::size_t c = 0; c < constraints; ++c)
      program.rows[c].push_back(static_cast<double>(demand[c]) / unit);
  }
  if (program.most.empty()) return;
  const PackingLpSolution solution = solve(program);
  placer.add_work(program.most.size() * (constraints + 1) * 20);
  for (std::size_t c = 0; c < constraints; ++c)
    relaxation.dual[c] = static_cast<Value>(solution.prices[c] * static_cast<double>(most_value));
}

}  // namespace

Relaxation relax(Placer& placer, const FreeCapacity& capacity) {
  const Instance& instance = placer.instance();
  Relaxation relaxation;
  const Context context(instance, capacity);
  relaxation.capacity = capacity_of(instance, capacity, context);
  relaxation.items = items_of(placer, capacity, context, relaxation.shapes);
  tighten(relaxation, placer);
  set_duals(relaxation, placer);
  for (std::size_t c = 0; c < relaxation.constraints; ++c)
    relaxation.bound += relaxation.dual[c] * relaxation.capacity[c];
  for (Item& item : relaxation.items) {
    Value cost = 0;
    for (std::size_t c = 0; c < relaxation.constraints; ++c) cost += relaxation.dual[c] * item.demand[c];
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
