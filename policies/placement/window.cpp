#include "policies/placement/window.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

#include "policies/placement/model/devices.hpp"

namespace aliquot {

namespace {

constexpr std::int64_t kMostGranules = 4'000'000'000;
// Slurm's basic priority starts at a large number and falls by 1 from job to job.
constexpr std::int64_t kBasicStart = std::int64_t{1} << 32;

// Saturates: larger numbers than any cluster has are only compared.
std::int64_t cores_of(const Demand& demand) {
  std::int64_t all = 0;
  if (__builtin_mul_overflow(demand.need.raw, std::int64_t{demand.tasks}, &all))
    return std::numeric_limits<std::int64_t>::max();
  return all;
}

// The user's own priority, within limits that keep sums in range.
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

// How much one granule is, and whether memory counts.
struct Granularity {
  std::int64_t cpu = 1;
  std::int64_t memory = 1;
  bool with_memory = false;
};

std::int64_t granule_of(std::int64_t divisor, std::int64_t most) {
  return std::max({divisor, (most + kMostGranules - 1) / kMostGranules, std::int64_t{1}});
}

// Whether memory can run out before the CPU on some node, for jobs with no more memory for their CPU than
// this one has.
bool memory_can_run_out(const Draft& draft, const Demand& demand) {
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    if (!draft.node(n).usable()) continue;
    const Cpu cpu = draft.node(n).capacity - draft.ledger(n).load;
    if (cpu.raw > 0 &&
        Int128{draft.ledger(n).free.raw} * demand.need.raw < Int128{cpu.raw} * demand.memory.raw)
      return true;
  }
  return false;
}

Granularity granularity_of(const Draft& draft, const std::vector<std::size_t>& entries) {
  std::int64_t most_cpu = 0;
  std::int64_t most_memory = 0;
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    most_cpu = std::max(most_cpu, draft.node(n).capacity.raw);
    most_memory = std::max(most_memory, draft.node(n).memory.raw);
  }
  Granularity granularity{0, 0, false};
  const Demand* most_for_cpu = nullptr;  // the most memory for its CPU
  for (const std::size_t i : entries) {
    const Demand& d = draft.job(i).demand;
    granularity.cpu = std::gcd(granularity.cpu, d.need.raw);
    granularity.memory = std::gcd(granularity.memory, d.memory.raw);
    if (!most_for_cpu ||
        Int128{d.memory.raw} * most_for_cpu->need.raw > Int128{most_for_cpu->memory.raw} * d.need.raw)
      most_for_cpu = &d;
  }
  granularity.cpu = granule_of(granularity.cpu, most_cpu);
  granularity.memory = granule_of(granularity.memory, most_memory);
  granularity.with_memory = most_for_cpu && memory_can_run_out(draft, *most_for_cpu);
  return granularity;
}

std::uint32_t round_down(std::int64_t amount, std::int64_t granule) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(amount, 0) / granule);
}
// The largest number, which no node has, where it does not fit the type.
std::uint32_t round_up(std::int64_t amount, std::int64_t granule) {
  const std::int64_t granules = amount / granule + (amount % granule > 0 ? 1 : 0);
  return static_cast<std::uint32_t>(
      std::min<std::int64_t>(granules, std::numeric_limits<std::uint32_t>::max()));
}

ip::Request request_of(const Demand& demand, const Granularity& granularity) {
  ip::Request r;
  r.units = demand.tasks;
  r.cpu = round_up(demand.need.raw, granularity.cpu);
  r.memory = granularity.with_memory ? round_up(demand.memory.raw, granularity.memory) : 0;
  r.min_nodes = std::min(demand.spread.min_nodes, demand.tasks);
  r.max_nodes = demand.spread.max_nodes;
  r.per_node = demand.spread.per_node;
  r.devices = demand.devices.per_node;
  r.parts = demand.devices.any() ? demand.devices.parts : kWholeDevice;
  r.model = demand.devices.any() ? demand.devices.model.raw : ip::kAny;
  return r;
}

// The free resources of nodes as a window counts them.
class NodeReader {
 public:
  NodeReader(const Draft& draft, const FreeDevices& free, const Granularity& granularity,
             ip::Instance& instance)
      : draft_(draft),
        free_(free),
        granularity_(granularity),
        instance_(instance),
        asked_(asked_models(draft.view(), instance)),
        slices_(instance) {
    instance_.least_slice = slices_.least();
  }

  struct Read {
    ip::FreeResources free;
    ip::FreeResources ceiling;  // with the partly used devices beyond ip::kPartialDevices as whole ones
  };
  Read read(std::uint32_t n) {
    const Node& node = draft_.node(n);
    ip::FreeResources free;
    free.cpu = round_down((node.capacity - draft_.ledger(n).load).raw, granularity_.cpu);
    if (granularity_.with_memory) free.memory = round_down(draft_.ledger(n).free.raw, granularity_.memory);
    free.kind = kind_of(node);
    const ip::NodeKind& kind = instance_.kinds[free.kind];
    std::vector<ip::FreeDevice> partials;
    const std::span<const std::int32_t> parts = free_.on({n});
    for (std::size_t s = 0; s < node.devices.size() && s < parts.size(); ++s) {
      const auto at = std::find(kind.begin(), kind.end(), node.devices[s].model.raw);
      if (at == kind.end()) continue;
      const auto model = static_cast<std::uint16_t>(at - kind.begin());
      if (node.devices[s].parts >= kWholeDevice && parts[s] >= kWholeDevice) {
        ++free.devices[model];
      } else if (const std::uint16_t usable = slices_.usable(parts[s]); usable > 0) {
        partials.push_back({usable, model});
      }
    }
    std::sort(partials.begin(), partials.end(), std::greater<>());
    const std::size_t counted = std::min(partials.size(), ip::kPartialDevices);
    std::copy_n(partials.begin(), counted, free.partials.begin());
    ip::FreeResources ceiling = free;
    for (std::size_t p = counted; p < partials.size(); ++p) ++ceiling.devices[partials[p].model];
    return {free, ceiling};
  }

 private:
  static std::vector<bool> asked_models(const ClusterView& view, const ip::Instance& instance) {
    std::size_t models = 0;
    for (const Node& node : view.nodes) {
      for (const Device& device : node.devices)
        models = std::max<std::size_t>(models, device.model.raw + 1U);
    }
    std::vector<bool> asked(models, false);
    for (const ip::Request& r : instance.requests) {
      if (r.devices == 0) continue;
      if (r.model == ip::kAny) asked.assign(models, true);
      if (r.model < models) asked[r.model] = true;
    }
    return asked;
  }

  // Of the models asked for, those of this node, in increasing order. Devices that are less than a whole
  // one count where slices are asked for.
  std::uint16_t kind_of(const Node& node) {
    ip::NodeKind kind;
    for (const Device& device : node.devices) {
      if (device.model.raw >= asked_.size() || !asked_[device.model.raw]) continue;
      if (device.parts < kWholeDevice && !slices_.any()) continue;
      if (std::find(kind.begin(), kind.end(), device.model.raw) == kind.end())
        kind.push_back(device.model.raw);
    }
    std::sort(kind.begin(), kind.end());
    if (kind.size() > ip::kModelsPerNode) kind.resize(ip::kModelsPerNode);
    std::vector<ip::NodeKind>& kinds = instance_.kinds;
    const auto same = std::find(kinds.begin(), kinds.end(), kind);
    const auto index = static_cast<std::uint16_t>(same - kinds.begin());
    if (same == kinds.end()) kinds.push_back(kind);
    return index;
  }

  const Draft& draft_;
  const FreeDevices& free_;
  const Granularity& granularity_;
  ip::Instance& instance_;
  std::vector<bool> asked_;
  ip::SliceSizes slices_;
};

// The integer program knows whole devices and slices of one device; each task takes CPU.
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
  for (std::size_t rank = 0; rank < size; ++rank) {
    const bool expressed = is_expressed(draft.job(waiting[rank]).demand);
    (expressed ? window.entries : window.others).push_back(waiting[rank]);
  }
  const Granularity granularity = granularity_of(draft, window.entries);
  const bool factors = spec.priority == CollectiveSpec::Priority::multifactor;
  const Cpu cluster = factors ? capacity_of(view) : Cpu{};
  for (std::size_t k = 0; k < window.entries.size(); ++k) {
    const Job& job = draft.job(window.entries[k]);
    ip::Request r = request_of(job.demand, granularity);
    r.weight = factors ? multifactor(job, view.now, cluster, spec.size_weight)
                       : kBasicStart - static_cast<std::int64_t>(k);
    r.weight = std::min(r.weight, 2 * kBasicStart);
    if (spec.by_cores) r.weight *= std::min(cores_of(job.demand) / granularity.cpu, kMostGranules / 16);
    window.instance.requests.push_back(r);
  }
  window.instance.nodes = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(view.nodes.size()));
  NodeReader reader(draft, free, granularity, window.instance);
  window.nodes.resize(draft.nodes());
  ip::NodeResources ceiling(draft.nodes());
  for (std::uint32_t n = 0; n < draft.nodes(); ++n) {
    if (!draft.node(n).usable()) continue;
    const NodeReader::Read read = reader.read(n);
    window.nodes[n] = read.free;
    ceiling[n] = read.ceiling;
  }
  const bool some_not_counted = ceiling != window.nodes;
  window.ceiling = ip::coarsen(window.nodes);
  if (some_not_counted) {
    window.ceiling = ip::coarsen(ceiling);
    if (window.ceiling.empty()) window.ceiling = ip::classes_of(ceiling);
  }
  window.instance.classes = ip::classes_of(window.nodes);
  return window;
}

}  // namespace aliquot
