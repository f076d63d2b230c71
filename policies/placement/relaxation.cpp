#include "policies/placement/relaxation.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "policies/tpds2012/packing_lp.hpp"

namespace aliquot::ip {

namespace {

constexpr std::size_t kMostColumns = 256;        // of the linear program whose prices are taken
constexpr std::size_t kMostReachWork = 200'000;  // words looked at for the subset sums

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
  if (models.size() > kModelTotals) models.resize(kModelTotals);
  return models;
}

struct Scale {
  std::vector<std::uint16_t> models;
  std::uint32_t most_cpu = 0;  // free on one node
  bool needs_cpu = true;       // every request does
};

std::int64_t parts_of_model(const Cell& free, std::size_t model) {
  std::int64_t parts = std::int64_t{kWholeDevice} * free.devices[model];
  for (const std::uint16_t cut : free.cuts) parts += cut_model(cut) == model ? cut_parts(cut) : 0;
  return parts;
}

Totals free_totals(const Instance& instance, const Rooms& rooms, const Scale& scale) {
  Totals free{};
  for (const Room& room : rooms) {
    const std::int64_t count = room.count;
    free[kCpu] += count * room.free.cpu;
    free[kMemory] += count * room.free.memory;
    free[kLoners] += count * (2 * std::int64_t{room.free.cpu} > scale.most_cpu ? 1 : 0);
    if (scale.needs_cpu && room.free.cpu == 0) continue;  // its devices are of no use to anybody
    const std::int64_t parts = room.free.device_parts();
    free[kDevices] += count * parts;
    free[kWhole] += count * kWholeDevice * room.free.whole_devices();
    if (parts > 0) free[kCpuBeside] += count * room.free.cpu;
    const Kind& kind = instance.kinds[room.free.kind];
    for (std::size_t d = 0; d < kind.size() && d < kKindModels; ++d) {
      for (std::size_t m = 0; m < scale.models.size(); ++m) {
        if (kind[d] == scale.models[m]) free[kFirstModel + m] += count * parts_of_model(room.free, d);
      }
    }
  }
  return free;
}

Totals takes_of(const Request& r, std::int64_t nodes, const Scale& scale) {
  Totals takes{};
  const std::int64_t cpu = std::int64_t{r.units} * r.cpu;
  takes[kCpu] = cpu;
  takes[kMemory] = std::int64_t{r.units} * r.memory;
  takes[kAll] = 1;
  // More than half of the largest node on each node, or all but the rest of the division.
  if (2 * std::int64_t{r.per_node} * r.cpu > scale.most_cpu) takes[kLoners] = r.units / r.per_node;
  if (r.devices == 0) return takes;
  takes[kHolders] = 1;
  takes[kDevices] = nodes * r.device_parts();
  if (!r.is_slice()) takes[kWhole] = takes[kDevices];
  takes[kCpuBeside] = cpu;
  for (std::size_t m = 0; m < scale.models.size(); ++m) {
    if (r.model == scale.models[m]) takes[kFirstModel + m] = takes[kDevices];
  }
  return takes;
}

std::vector<Item> items_of(Placer& placer, const Rooms& rooms, const Scale& scale, std::size_t& shapes) {
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
      Rooms alone = rooms;
      item.nodes = placer.place(alone, order[k], Style::few_nodes);
      if (item.nodes > 0) item.takes = takes_of(request, item.nodes, scale);
      item.shape = static_cast<std::uint32_t>(shapes);
      shapes += item.nodes > 0 ? 1 : 0;
    }
    if (item.nodes == 0) continue;
    item.request = order[k];
    item.worth = value_of(instance, request, item.nodes) << kPlaces;
    items.push_back(item);
  }
  return items;
}

// How many of the items fit into one total, whatever the others say: the smallest of them.
std::int64_t most_within(const std::vector<Item>& items, std::size_t total, std::size_t counter,
                         std::int64_t free) {
  std::vector<std::int64_t> sizes;
  for (const Item& item : items) {
    if (item.takes[counter] > 0) sizes.push_back(item.takes[total]);
  }
  std::sort(sizes.begin(), sizes.end());
  std::int64_t count = 0;
  for (const std::int64_t size : sizes) {
    free -= size;
    if (free < 0) break;
    ++count;
  }
  return count;
}

// The most of a total that any set of items can take: subset sums, as bits, in steps of the common divisor.
std::int64_t most_reached(const std::vector<Item>& items, std::size_t total, std::int64_t free,
                          Placer& placer) {
  std::int64_t step = 0;
  for (const Item& item : items) step = std::gcd(step, item.takes[total]);
  if (step == 0) return free;
  const auto most = static_cast<std::size_t>(free / step);
  const std::size_t words = most / 64 + 1;
  if (words * items.size() > kMostReachWork) return free / step * step;
  placer.add_work(words * items.size() / 2);
  std::vector<std::uint64_t> sums(words, 0);
  sums[0] = 1;
  for (const Item& item : items) {
    const auto shift = static_cast<std::size_t>(item.takes[total] / step);
    if (shift == 0 || shift > most) continue;
    const std::size_t far = shift / 64;
    const std::size_t bits = shift % 64;
    for (std::size_t w = words; w-- > far;) {
      std::uint64_t moved = sums[w - far] << bits;
      if (bits > 0 && w > far) moved |= sums[w - far - 1] >> (64 - bits);
      sums[w] |= moved;
    }
    if (sums[most / 64] >> (most % 64) & 1) break;
  }
  for (std::size_t sum = most; sum > 0; --sum) {
    if (sums[sum / 64] >> (sum % 64) & 1) return static_cast<std::int64_t>(sum) * step;
  }
  return 0;
}

// What of the totals can really be used; and which of them anybody could exceed.
void tighten(Relaxation& relaxation, Placer& placer) {
  std::vector<Item>& items = relaxation.items;
  Totals& free = relaxation.free;
  for (const std::size_t total : {kCpu, kDevices})
    free[total] = most_reached(items, total, free[total], placer);
  free[kAll] = most_within(items, kCpu, kAll, free[kCpu]);
  free[kHolders] = std::min(most_within(items, kDevices, kHolders, free[kDevices]),
                            most_within(items, kCpuBeside, kHolders, free[kCpuBeside]));
  Totals asked{};
  for (const Item& item : items) {
    for (std::size_t t = 0; t < kTotals; ++t) asked[t] += item.takes[t];
  }
  relaxation.totals = 1;
  for (std::size_t t = 1; t < kTotals; ++t) {
    if (asked[t] <= free[t]) continue;
    const std::size_t to = relaxation.totals++;
    free[to] = free[t];
    relaxation.which[to] = t;
    for (Item& item : items) item.takes[to] = item.takes[t];
  }
}

// The prices of the linear program over the totals; long lists of items in bundles of neighbours, alike or
// nearly so.
void set_prices(Relaxation& relaxation, Placer& placer) {
  const std::vector<Item>& items = relaxation.items;
  const std::size_t totals = relaxation.totals;
  Value most_worth = 1;
  for (const Item& item : items) most_worth = std::max(most_worth, item.worth);
  const std::size_t bundle = (items.size() + kMostColumns - 1) / kMostColumns;
  PackingLp program;
  program.rows.resize(totals);
  for (std::size_t t = 0; t < totals; ++t)
    program.limits.push_back(static_cast<double>(relaxation.free[t]));
  for (std::size_t i = 0; i < items.size();) {
    Value worth = 0;
    Totals takes{};
    std::size_t end = i;
    for (; end < items.size() && end < i + bundle && items[end].shape == items[i].shape; ++end) {
      worth += items[end].worth;
      for (std::size_t t = 0; t < totals; ++t) takes[t] += items[end].takes[t];
    }
    i = end;
    // The program's variables count worth: their coefficients are what a unit of worth takes.
    const double unit = static_cast<double>(worth) / static_cast<double>(most_worth);
    if (unit <= 0) continue;
    program.most.push_back(unit);
    for (std::size_t t = 0; t < totals; ++t)
      program.rows[t].push_back(static_cast<double>(takes[t]) / unit);
  }
  if (program.most.empty()) return;
  const PackingLpSolution solution = solve(program);
  placer.add_work(program.most.size() * (totals + 1) * 20);
  for (std::size_t t = 0; t < totals; ++t) {
    relaxation.price[t] = static_cast<Value>(solution.prices[t] * static_cast<double>(most_worth));
  }
}

}  // namespace

Relaxation relax(Placer& placer, const Rooms& rooms) {
  const Instance& instance = placer.instance();
  Relaxation relaxation;
  Scale scale{models_asked(instance)};
  for (const Request& request : instance.requests) scale.needs_cpu = scale.needs_cpu && request.cpu > 0;
  for (const Room& room : rooms) scale.most_cpu = std::max<std::uint32_t>(scale.most_cpu, room.free.cpu);
  relaxation.free = free_totals(instance, rooms, scale);
  relaxation.items = items_of(placer, rooms, scale, relaxation.shapes);
  tighten(relaxation, placer);
  set_prices(relaxation, placer);
  for (std::size_t t = 0; t < relaxation.totals; ++t)
    relaxation.bound += relaxation.price[t] * relaxation.free[t];
  for (Item& item : relaxation.items) {
    Value price = 0;
    for (std::size_t t = 0; t < relaxation.totals; ++t) price += relaxation.price[t] * item.takes[t];
    item.reduced = item.worth - price;
    relaxation.bound += std::max<Value>(item.reduced, 0);
    item.efficiency = price > 0 ? static_cast<double>(item.worth) / static_cast<double>(price)
                                : std::numeric_limits<double>::max();
  }
  // Stable: the items of one shape stay in the order of their weights.
  std::stable_sort(relaxation.items.begin(), relaxation.items.end(),
                   [](const Item& a, const Item& b) { return a.efficiency > b.efficiency; });
  return relaxation;
}

}  // namespace aliquot::ip
