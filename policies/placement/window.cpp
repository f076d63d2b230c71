#include "policies/placement/window.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

#include "policies/placement/coarsen.hpp"
#include "policies/placement/slices.hpp"

namespace aliquot {

namespace {

constexpr std::int64_t kMostSteps = 4'000'000'000;
// Slurm's basic priority begins at a large number and falls by 1 from job to job.
constexpr std::int64_t kBasicStart = std::int64_t{1} << 32;

// Saturates: what no cluster has is only compared.
std::int64_t cores_of(const Demand& demand) {
  std::int64_t all = 0;
  if (__builtin_mul_overflow(demand.need.raw, std::int64_t{demand.tasks}, &all))
    return std::numeric_limits<std::int64_t>::max();
  return all;
}

// The user's own, within what can be added up.
std::int64_t own_priority(const Demand& demand) {
  return std::clamp(demand.priority, -kBasicStart, kBasicStart);
}

// Slurm's multifactor priority with equal weights of age and size: 1 a minute of waiting; a job as large as
// the cluster has the weight of the greatest age that counts, by default 7 days of minutes.
std::int64_t multifactor(const Job& job, Instant now, Cpu cluster, std::uint32_t size_weight) {
  const std::int64_t minutes = (now - job.submitted).raw / seconds(60).raw;
  const std::int64_t size = cluster.raw > 0 ? multiply_divide(std::min(cores_of(job.demand), cluster.raw),
                                                              size_weight, cluster.raw)
                                            : 0;
  return std::max<std::int64_t>(1, 1 + minutes + size + own_priority(job.demand));
}

Cpu capacity_of(const ClusterView& view) {
  Cpu all;
  for (const Node& node : view.nodes) all += node.capacity;
  return all;
}

// What one step is, and whether memory counts at all.
struct Steps {
  std::int64_t cpu = 1;
  std::int64_t memory = 1;
  bool with_memory = false;
};

std::int64_t step_of(std::int64_t divisor, std::int64_t most) {
  return std::max({divisor, (most + kMostSteps - 1) / kMostSteps, std::int64_t{1}});
}

Steps steps_of(const Draft& draft, const std::vector<std::size_t>& entries) {
  std::int64_t most_cpu = 0;
  std::int64_t most_memory = 0;
  Steps steps{0, 0, false};
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    most_cpu = std::max(most_cpu, draft.node(n).capacity.raw);
    most_memory = std::max(most_memory, draft.node(n).memory.raw);
  }
  // The job with the most memory for its CPU.
  const Demand* hungriest = nullptr;
  for (const std::size_t i : entries) {
    const Demand& d = draft.job(i).demand;
    steps.cpu = std::gcd(steps.cpu, d.need.raw);
    steps.memory = std::gcd(steps.memory, d.memory.raw);
    if (!hungriest || static_cast<Int128>(d.memory.raw) * hungriest->need.raw >
                          static_cast<Int128>(hungriest->memory.raw) * d.need.raw)
      hungriest = &d;
  }
  steps.cpu = step_of(steps.cpu, most_cpu);
  steps.memory = step_of(steps.memory, most_memory);
  for (std::size_t n = 0; hungriest && n < draft.nodes() && !steps.with_memory; ++n) {
    if (!draft.node(n).usable()) continue;
    const Cpu spare = draft.node(n).capacity - draft.ledger(n).load;
    steps.with_memory =
        spare.raw > 0 && static_cast<Int128>(draft.ledger(n).free.raw) * hungriest->need.raw <
                             static_cast<Int128>(spare.raw) * hungriest->memory.raw;
  }
  return steps;
}

std::uint32_t round_down(std::int64_t amount, std::int64_t step) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(amount, 0) / step);
}
// More than any node has where it would not fit the type.
std::uint32_t round_up(std::int64_t amount, std::int64_t step) {
  const std::int64_t steps = amount / step + (amount % step > 0 ? 1 : 0);
  return static_cast<std::uint32_t>(
      std::min<std::int64_t>(steps, std::numeric_limits<std::uint32_t>::max()));
}

ip::Request request_of(const Demand& demand, const Steps& steps) {
  ip::Request r;
  r.units = demand.tasks;
  r.cpu = round_up(demand.need.raw, steps.cpu);
  r.memory = steps.with_memory ? round_up(demand.memory.raw, steps.memory) : 0;
  r.min_nodes = std::min(demand.spread.min_nodes, demand.tasks);
  r.max_nodes = demand.spread.max_nodes;
  r.per_node = demand.spread.per_node;
  r.devices = demand.devices.per_node;
  r.parts = demand.devices.any() ? demand.devices.parts : kWholeDevice;
  r.model = demand.devices.any() ? demand.devices.model.raw : ip::kAny;
  return r;
}

// Of the models asked for, those of this node, in increasing order. Devices that are less than a whole one
// count where slices are asked for.
ip::Kind kind_of(const Node& node, const std::vector<bool>& asked, bool with_slices) {
  ip::Kind kind;
  for (const Device& device : node.devices) {
    if (device.model.raw >= asked.size() || !asked[device.model.raw]) continue;
    if (device.parts < kWholeDevice && !with_slices) continue;
    if (std::find(kind.begin(), kind.end(), device.model.raw) == kind.end())
      kind.push_back(device.model.raw);
  }
  std::sort(kind.begin(), kind.end());
  if (kind.size() > ip::kKindModels) kind.resize(ip::kKindModels);
  return kind;
}

std::vector<bool> asked_models(const ClusterView& view, const ip::Instance& instance) {
  std::size_t models = 0;
  for (const Node& node : view.nodes) {
    for (const Device& device : node.devices) models = std::max<std::size_t>(models, device.model.raw + 1U);
  }
  std::vector<bool> asked(models, false);
  for (const ip::Request& r : instance.requests) {
    if (r.devices == 0) continue;
    if (r.model == ip::kAny) asked.assign(models, true);
    if (r.model < models) asked[r.model] = true;
  }
  return asked;
}

// The cells of nodes as a window sees them.
class Cells {
 public:
  Cells(const Draft& draft, const FreeDevices& free, const Steps& steps, ip::Instance& instance)
      : draft_(draft),
        free_(free),
        steps_(steps),
        instance_(instance),
        asked_(asked_models(draft.view(), instance)),
        slices_(instance) {
    instance_.least_slice = slices_.least();
  }

  // Of the node with everything that is forgotten; `above`: as if that were whole devices.
  ip::Cell of(std::uint32_t n, ip::Cell& above) {
    const Node& node = draft_.node(n);
    ip::Cell cell;
    cell.cpu = round_down((node.capacity - draft_.ledger(n).load).raw, steps_.cpu);
    if (steps_.with_memory) cell.memory = round_down(draft_.ledger(n).free.raw, steps_.memory);
    const ip::Kind kind = kind_of(node, asked_, slices_.any());
    const auto same = std::find(instance_.kinds.begin(), instance_.kinds.end(), kind);
    cell.kind = static_cast<std::uint16_t>(same - instance_.kinds.begin());
    if (same == instance_.kinds.end()) instance_.kinds.push_back(kind);
    std::vector<std::uint16_t> cuts;
    const std::span<const std::int32_t> parts = free_.on({n});
    for (std::size_t s = 0; s < node.devices.size() && s < parts.size() && !kind.empty(); ++s) {
      const auto at = std::find(kind.begin(), kind.end(), node.devices[s].model.raw);
      if (at == kind.end()) continue;
      const auto model = static_cast<std::size_t>(at - kind.begin());
      if (node.devices[s].parts >= kWholeDevice && parts[s] >= kWholeDevice) {
        ++cell.devices[model];
      } else if (const std::uint16_t useful = slices_.useful(parts[s]); useful > 0) {
        cuts.push_back(ip::make_cut(model, useful));
      }
    }
    std::sort(cuts.begin(), cuts.end(), std::greater<>());
    std::copy_n(cuts.begin(), std::min(cuts.size(), ip::kCuts), cell.cuts.begin());
    above = cell;
    for (std::size_t c = ip::kCuts; c < cuts.size(); ++c) ++above.devices[ip::cut_model(cuts[c])];
    return cell;
  }

 private:
  const Draft& draft_;
  const FreeDevices& free_;
  const Steps& steps_;
  ip::Instance& instance_;
  std::vector<bool> asked_;
  ip::SliceSizes slices_;
};

// The integer program knows whole devices and slices of one; every task takes CPU.
bool is_expressed(const Demand& demand) {
  const DeviceDemand& d = demand.devices;
  const bool slice = d.per_node == 1 && d.parts > 0 && d.parts < kWholeDevice;
  return demand.need.raw > 0 && (!d.any() || d.parts == kWholeDevice || slice);
}

}  // namespace

std::vector<std::size_t> by_priority(const Draft& draft, const CollectiveSpec& spec) {
  const ClusterView& view = draft.view();
  const bool factors = spec.priority == CollectiveSpec::Priority::multifactor;
  const Cpu cluster = factors ? capacity_of(view) : Cpu{};
  std::vector<std::tuple<std::int64_t, Instant, std::size_t>> ranks;  // entries are in increasing id
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!draft.candidate(i)) continue;
    const Job& job = draft.job(i);
    const std::int64_t priority =
        factors ? multifactor(job, view.now, cluster, spec.size_weight) : own_priority(job.demand);
    ranks.push_back({-priority, job.submitted, i});
  }
  std::sort(ranks.begin(), ranks.end());
  std::vector<std::size_t> order;
  for (const auto& [priority, submitted, i] : ranks) order.push_back(i);
  return order;
}

Window window_of(const Draft& draft, const FreeDevices& free, const std::vector<std::size_t>& waiting,
                 const CollectiveSpec& spec, std::uint32_t most) {
  const ClusterView& view = draft.view();
  Window window;
  const std::size_t size = std::min<std::size_t>(waiting.size(), most);
  window.behind = static_cast<std::uint32_t>(waiting.size() - size);
  for (std::size_t rank = 0; rank < size; ++rank) {
    const bool expressed = is_expressed(draft.job(waiting[rank]).demand);
    (expressed ? window.entries : window.others).push_back(waiting[rank]);
  }
  const Steps steps = steps_of(draft, window.entries);
  const bool factors = spec.priority == CollectiveSpec::Priority::multifactor;
  const Cpu cluster = factors ? capacity_of(view) : Cpu{};
  for (std::size_t k = 0; k < window.entries.size(); ++k) {
    const Job& job = draft.job(window.entries[k]);
    ip::Request r = request_of(job.demand, steps);
    r.weight = factors ? multifactor(job, view.now, cluster, spec.size_weight)
                       : kBasicStart - static_cast<std::int64_t>(k);
    r.weight = std::min(r.weight, 2 * kBasicStart);
    if (spec.by_cores) r.weight *= std::min(cores_of(job.demand) / steps.cpu, kMostSteps / 16);
    window.instance.requests.push_back(r);
  }
  window.instance.nodes = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(view.nodes.size()));
  Cells cells(draft, free, steps, window.instance);
  window.cells.resize(draft.nodes());
  ip::NodeCells above(draft.nodes());
  for (std::uint32_t n = 0; n < draft.nodes(); ++n) {
    if (draft.node(n).usable()) window.cells[n] = cells.of(n, above[n].emplace());
  }
  const bool forgotten = above != window.cells;
  window.ceiling = ip::coarsen(window.cells);
  if (forgotten) {
    window.ceiling = ip::coarsen(above);
    if (window.ceiling.empty()) window.ceiling = ip::classes_of(above);
  }
  window.instance.classes = ip::classes_of(window.cells);
  return window;
}

}  // namespace aliquot
