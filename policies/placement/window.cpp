#include "policies/placement/window.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "policies/placement/model/devices.hpp"
#include "policies/placement/model/runs.hpp"

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

// Basic: the user's own priority, within limits that keep sums in range. Multifactor: Slurm's, with equal
// weights of age and size: 1 a minute of waiting; a job as large as the cluster has the weight of the
// greatest age that counts, by default 7 days of minutes.
class Priorities {
 public:
  Priorities(const ClusterView& view, const CollectiveSpec& spec)
      : now_(view.now),
        multifactor_(spec.priority == CollectiveSpec::Priority::multifactor),
        size_weight_(spec.size_weight) {
    for (const Node& node : view.nodes) cluster_ += node.capacity;
  }

  [[nodiscard]] std::int64_t of(const Job& job) const {
    const std::int64_t own = std::clamp(job.demand.priority, -kBasicStart, kBasicStart);
    if (!multifactor_) return own;
    const std::int64_t minutes = (now_ - job.submitted).raw / seconds(60).raw;
    const std::int64_t cores = std::min(cores_of(job.demand), cluster_.raw);
    const std::int64_t size = cores > 0 ? multiply_divide(cores, size_weight_, cluster_.raw) : 0;
    return std::max<std::int64_t>(1, 1 + minutes + size + own);
  }
  // In the objective; basic priorities only order the jobs.
  [[nodiscard]] std::int64_t weight_of(const Job& job, std::size_t rank) const {
    return multifactor_ ? of(job) : kBasicStart - static_cast<std::int64_t>(rank);
  }

 private:
  Instant now_;
  bool multifactor_;
  std::uint32_t size_weight_;
  Cpu cluster_;
};

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
  ip::Request r{ip::spread_of(demand)};
  r.cpu = round_up(demand.need.raw, granularity.cpu);
  r.memory = granularity.with_memory ? round_up(demand.memory.raw, granularity.memory) : 0;
  r.devices = demand.devices.per_node;
  r.parts = demand.devices.any() ? demand.devices.parts : kWholeDevice;
  if (demand.devices.any()) r.models = demand.devices.models;
  return r;
}

// The free resources of nodes as a window counts them.
class NodeReader {
 public:
  NodeReader(const Draft& draft, const FreeDevices& free, const Granularity& granularity,
             ip::Instance& instance)
      : draft_(draft), free_(free), granularity_(granularity), instance_(instance), slices_(instance) {
    instance_.least_slice = slices_.least();
    for (const ip::Request& r : instance.requests) {
      if (r.devices == 0) continue;
      any_model_ = any_model_ || r.models.empty();
      models_.insert(r.models.begin(), r.models.end());
    }
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
      const auto at = std::ranges::find(kind, node.devices[s].model.raw);
      if (at == kind.end()) continue;
      const auto model = static_cast<std::uint16_t>(at - kind.begin());
      if (node.devices[s].parts >= kWholeDevice && parts[s] >= kWholeDevice) {
        ++free.devices[model];
      } else if (const std::uint16_t usable = slices_.usable(parts[s]); usable > 0) {
        partials.push_back({usable, model});
      }
    }
    std::ranges::sort(partials, std::greater<>());
    const std::size_t counted = std::min(partials.size(), ip::kPartialDevices);
    std::copy_n(partials.begin(), counted, free.partials.begin());
    ip::FreeResources ceiling = free;
    for (std::size_t p = counted; p < partials.size(); ++p) ++ceiling.devices[partials[p].model];
    return {free, ceiling};
  }

 private:
  // Devices that are less than a whole one count where slices are asked for.
  [[nodiscard]] bool counts(const Device& device) const {
    if (device.parts < kWholeDevice && !slices_.any()) return false;
    return any_model_ || models_.contains(device.model);
  }

  // Of the models asked for, those of this node, in increasing order.
  std::uint16_t kind_of(const Node& node) {
    std::set<std::uint16_t> models;
    for (const Device& device : node.devices) {
      if (counts(device)) models.insert(device.model.raw);
    }
    ip::NodeKind kind(models.begin(), models.end());
    if (kind.size() > ip::kModelsPerNode) kind.resize(ip::kModelsPerNode);
    std::vector<ip::NodeKind>& kinds = instance_.kinds;
    const auto same = std::ranges::find(kinds, kind);
    const auto index = static_cast<std::uint16_t>(same - kinds.begin());
    if (same == kinds.end()) kinds.push_back(kind);
    return index;
  }

  const Draft& draft_;
  const FreeDevices& free_;
  const Granularity& granularity_;
  ip::Instance& instance_;
  ip::SliceSizes slices_;
  bool any_model_ = false;        // some request takes whichever
  std::set<DeviceModel> models_;  // asked for by name
};

// The integer program knows whole devices and slices of one device; each task takes CPU.
bool is_expressed(const Demand& demand) {
  const DeviceDemand& d = demand.devices;
  const bool slice = d.per_node == 1 && d.parts > 0 && d.parts < kWholeDevice;
  return demand.need.raw > 0 && (!d.any() || d.parts == kWholeDevice || slice);
}

}  // namespace

std::vector<std::size_t> by_priority(const Draft& draft, const CollectiveSpec& spec) {
  const Priorities priorities(draft.view(), spec);
  // Entries are in increasing id.
  std::vector<std::tuple<std::int64_t, std::int64_t, Instant, std::size_t>> ranks;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!draft.candidate(i)) continue;
    const Job& job = draft.job(i);
    ranks.push_back({-job.demand.weight.raw, -priorities.of(job), job.submitted, i});
  }
  std::sort(ranks.begin(), ranks.end());
  std::vector<std::size_t> order;
  for (const auto& [weight, priority, submitted, i] : ranks) order.push_back(i);
  return order;
}

Window window_of(const Draft& draft, const FreeDevices& free, const std::vector<std::size_t>& waiting,
                 const CollectiveSpec& spec, std::uint32_t most) {
  Window window;
  for (const std::size_t i : std::span(waiting).first(std::min<std::size_t>(waiting.size(), most)))
    (is_expressed(draft.job(i).demand) ? window.entries : window.others).push_back(i);
  const Granularity granularity = granularity_of(draft, window.entries);
  const Priorities priorities(draft.view(), spec);
  for (std::size_t k = 0; k < window.entries.size(); ++k) {
    const Job& job = draft.job(window.entries[k]);
    ip::Request r = request_of(job.demand, granularity);
    r.weight = std::min(priorities.weight_of(job, k), 2 * kBasicStart);
    if (spec.by_cores) r.weight *= std::min(cores_of(job.demand) / granularity.cpu, kMostGranules / 16);
    window.instance.requests.push_back(r);
  }
  window.instance.nodes = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(draft.nodes()));
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
