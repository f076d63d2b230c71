#include "monitor/record/plan_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <string>

#include "policies/model/hypervisor_kind.hpp"

namespace aliquot {
namespace {

std::string text(JobId job) { return "job " + std::to_string(job.raw); }

// What the laws add up over a node, or how much of it a plan changes.
struct Load {
  Memory memory;
  Cpu cpu;
  bool gains = false;  // something would be placed there

  void add(Memory each_memory, Cpu each_cpu, std::int64_t units) {
    memory += each_memory * units;
    cpu += each_cpu * units;
  }
};

// What is held of each slot of a node; only the nodes in the map are counted.
using HeldByNode = std::map<std::uint32_t, std::array<std::int64_t, kMostDevices>>;

class Judge {
 public:
  explicit Judge(const ClusterView& view) : view_(view) {}

  [[nodiscard]] std::vector<Violation> take() { return std::move(found_); }

  // One job as it would stand. False: its shape is wrong, and it must not be added to any node.
  bool check_standing(const Job& job, const Placement& placement, Yield yield) {
    const std::size_t before = found_.size();
    check_shape(job, placement);
    if (placement.empty()) {
      if (yield.raw != 0) blame(Law::yield_in_range, text(job.id) + " stands nowhere and has a yield");
      return found_.size() == before;
    }
    if (yield.raw <= 0 || yield > kFullYield)
      blame(Law::yield_in_range,
            text(job.id) + " has yield " + std::to_string(yield.raw) + " ppm, not in (0, 1]");
    if (yield < job.demand.min_yield)
      blame(Law::guaranteed_yield, text(job.id) + " has yield " + std::to_string(yield.raw) +
                                       " ppm, below its guaranteed " +
                                       std::to_string(job.demand.min_yield.raw));
    return found_.size() == before;
  }

  // What a change may not do, seen against what the job is now. `moved`: it would stand elsewhere.
  void check_move(const Job& job, const Placement& placement, const std::vector<DeviceSet>& devices,
                  bool moved) {
    if (job.held && !placement.empty() && job.placement.empty())
      blame(Law::held_stays_out, text(job.id) + " is held and would be placed");
    if (job.pinned && moved && !job.placement.empty())
      blame(Law::pinned_stays, text(job.id) + " cannot be moved or paused now");
    if (!job.placement.empty() && !placement.empty() && devices != job.devices)
      blame(Law::devices_stay, text(job.id) + " would get other devices while it runs");
    if (!moved) return;
    if (!job.placement.empty() && (!job.demand.movable || !job.devices.empty()))
      blame(Law::immovable_stays, text(job.id) + " cannot be moved or paused: it is immovable");
    if (job.demand.spread.any() && !placement.empty()) check_spread(job, placement);
    check_kind(job, placement);
    if (!job.tied_to.empty() && !placement.empty() && placement != job.tied_to)
      blame(Law::where_saved, text(job.id) + " would be placed elsewhere than on the nodes that keep its " +
                                  "saved VMs, and can go on only there");
    for (const Share& share : placement)
      if (!view_.nodes[share.node.raw].usable() && share.units > units_on(job.placement, share.node))
        blame(Law::node_usable, text(job.id) + " would be placed on " + view_.nodes[share.node.raw].name +
                                    ", which takes nothing new");
  }

  // All of its nodes are of one hypervisor kind: the one that it is bound to, and the one of the nodes on
  // which it stands. A job of which no VM exists is free to start on any.
  void check_kind(const Job& job, const Placement& placement) {
    std::optional<HypervisorKind> kind = job.bound;
    if (!kind && !job.placement.empty()) kind = view_.nodes[job.placement.front().node.raw].hypervisor;
    for (const Share& share : placement) {
      const Node& node = view_.nodes[share.node.raw];
      if (!kind) kind = node.hypervisor;
      if (node.hypervisor == *kind) continue;
      blame(Law::within_kind, text(job.id) + " would be placed on " + node.name + ", a node of " +
                                  std::string(name(node.hypervisor)) + ", and its VMs are of " +
                                  std::string(name(*kind)) +
                                  ": they can go on only there, and the job be started anew");
      return;
    }
  }

  // The slots that the job would hold: of known nodes, as many as it asks for, of the model it asks for.
  // False: wrong, and they must not be counted.
  bool check_devices(const Job& job, const Placement& placement, const std::vector<DeviceSet>& devices) {
    const DeviceDemand& demand = job.demand.devices;
    const auto refuse = [&](const std::string& what) {
      blame(Law::devices, text(job.id) + what);
      return false;
    };
    if (!demand.any() && !devices.empty()) return refuse(" asks for no devices and would get some");
    if (!demand.any()) return true;
    if (devices.size() != placement.size())
      return refuse(" has devices on " + std::to_string(devices.size()) + " nodes and stands on " +
                    std::to_string(placement.size()));
    for (std::size_t k = 0; k < devices.size(); ++k) {
      const Node& node = view_.nodes[placement[k].node.raw];
      if (std::popcount(devices[k]) != demand.per_node)
        return refuse(" asks for " + std::to_string(demand.per_node) +
                      " devices on each node and would get " + std::to_string(std::popcount(devices[k])) +
                      " on " + node.name);
      for (DeviceSet slots = devices[k]; slots != 0; slots &= slots - 1) {
        const auto slot = static_cast<std::size_t>(std::countr_zero(slots));
        const std::string would_get = " would get device " + std::to_string(slot) + " of " + node.name;
        if (slot >= node.devices.size())
          return refuse(would_get + ", which has " + std::to_string(node.devices.size()));
        if (!demand.suits(node.devices[slot]))
          return refuse(would_get + ", which is of another model or too small");
      }
    }
    return true;
  }

  void check_node(NodeId id, const Load& load) {
    const Node& node = view_.nodes[id.raw];
    if (load.memory > node.memory)
      blame(Law::memory, node.name + " would hold " + std::to_string(load.memory.raw) + " bytes of " +
                             std::to_string(node.memory.raw));
    if (load.cpu > node.capacity)
      blame(Law::cpu, node.name + " would give " + std::to_string(load.cpu.raw) + " micro-cores of " +
                          std::to_string(node.capacity.raw));
  }

  // No slot of the nodes in `held`, in which nothing is counted yet, is given away beyond its parts when
  // these changes are made. They have passed check_devices.
  void check_parts(HeldByNode held, const std::vector<const Change*>& changes) {
    for (const auto& [id, job] : view_.jobs) hold(held, job.demand, job.placement, job.devices, 1);
    for (const Change* change : changes) {
      const Job& job = view_.jobs.at(change->job);
      hold(held, job.demand, job.placement, job.devices, -1);
      hold(held, job.demand, change->placement, change->devices, 1);
    }
    for (const auto& [n, slots] : held) {
      const Node& node = view_.nodes[n];
      for (std::size_t s = 0; s < node.devices.size() && s < slots.size(); ++s) {
        if (slots[s] <= node.devices[s].parts) continue;
        blame(Law::device_parts, node.name + " would give " + std::to_string(slots[s]) +
                                     " parts of device " + std::to_string(s) + ", which has " +
                                     std::to_string(node.devices[s].parts));
      }
    }
  }

  void blame(Law law, std::string what) { found_.push_back({law, std::move(what)}); }

 private:
  static void hold(HeldByNode& held, const Demand& demand, const Placement& placement,
                   const std::vector<DeviceSet>& devices, std::int64_t sign) {
    for (std::size_t k = 0; k < devices.size() && k < placement.size(); ++k) {
      const auto node = held.find(placement[k].node.raw);
      if (node == held.end()) continue;
      for (DeviceSet slots = devices[k]; slots != 0; slots &= slots - 1)
        node->second[static_cast<std::size_t>(std::countr_zero(slots))] += sign * demand.devices.parts;
    }
  }

  // For a job that is placed anew. Not for one that stands already: its tasks may have ended one by one.
  void check_spread(const Job& job, const Placement& placement) {
    const Spread& spread = job.demand.spread;
    const auto refuse = [&](const std::string& what) { blame(Law::spread, text(job.id) + what); };
    const auto nodes = static_cast<std::uint32_t>(placement.size());
    if (nodes < std::min(spread.min_nodes, job.demand.tasks) ||
        (spread.max_nodes > 0 && nodes > spread.max_nodes))
      refuse(" asks for " + std::to_string(spread.min_nodes) + " to " + std::to_string(spread.max_nodes) +
             " nodes and would stand on " + std::to_string(nodes));
    if (spread.per_node > 0) {
      const auto part = [&](const Share& share) { return share.units < spread.per_node; };
      const auto more = [&](const Share& share) { return share.units > spread.per_node; };
      if (std::ranges::any_of(placement, more) || std::ranges::count_if(placement, part) > 1)
        refuse(" asks for " + std::to_string(spread.per_node) + " tasks on each node");
    }
    const auto gap = [](const Share& a, const Share& b) { return b.node.raw != a.node.raw + 1; };
    if (spread.contiguous && std::ranges::adjacent_find(placement, gap) != placement.end())
      refuse(" asks for nodes side by side");
  }

  static std::uint32_t units_on(const Placement& placement, NodeId node) {
    for (const Share& share : placement)
      if (share.node == node) return share.units;
    return 0;
  }

  void check_shape(const Job& job, const Placement& placement) {
    std::uint64_t units = 0;
    const Share* previous = nullptr;
    for (const Share& share : placement) {
      if (share.node.raw >= view_.nodes.size() || share.units == 0 ||
          (previous && previous->node >= share.node)) {
        blame(Law::known_node, text(job.id) + " has a share that is unknown, empty or out of order (node " +
                                   std::to_string(share.node.raw) + ")");
        return;
      }
      units += share.units;
      previous = &share;
    }
    if (!placement.empty() && units != job.demand.tasks)
      blame(Law::all_tasks, text(job.id) + " has " + std::to_string(job.demand.tasks) + " tasks and " +
                                std::to_string(units) + " places");
  }

  const ClusterView& view_;
  std::vector<Violation> found_;
};

// What the nodes that a plan places something on would hold. Over the index only the changed jobs are
// looked at; without one, all jobs are.
class Loads {
 public:
  Loads(const ClusterView& view, std::pmr::memory_resource* memory)
      : view_(view), known_(view.index.kept()), loads_(view.nodes.size(), memory) {
    if (known_) return;
    for (const auto& [id, job] : view.jobs) add(job.placement, job.demand.memory, given(job, job.yield), 1);
  }

  // `moved`: the job would stand elsewhere.
  void change(const Job& job, const Change& change, bool moved) {
    const Cpu now = given(job, job.yield);
    const Cpu next = given(job, change.yield);
    if (moved) add(job.placement, job.demand.memory, now, -1);
    add(change.placement, moved ? job.demand.memory : Memory{}, moved ? next : next - now, 1);
    for (const Share& share : change.placement) loads_[share.node.raw].gains = true;
  }

  // Of the nodes that would get something.
  void check(Judge& judge) const {
    for (std::uint32_t n = 0; n < loads_.size(); ++n) {
      Load load = loads_[n];
      if (!load.gains) continue;
      if (known_) load.add(view_.index.load({n}).memory, view_.index.load({n}).given, 1);
      judge.check_node({n}, load);
    }
  }

 private:
  static Cpu given(const Job& job, Yield yield) { return job.demand.need * yield; }
  void add(const Placement& placement, Memory memory, Cpu cpu, std::int64_t sign) {
    for (const Share& share : placement) loads_[share.node.raw].add(memory, cpu, sign * share.units);
  }

  const ClusterView& view_;
  const bool known_;  // what stands there is not counted: the index has it
  std::pmr::vector<Load> loads_;
};

// Something new, that is: what is in force may stand on a node that has lost a device since.
bool gives_devices(const Job& job, const Change& change) {
  if (!is_grouped(job.demand) && change.devices.empty()) return false;
  return change.devices != job.devices || change.placement != job.placement;
}

}  // namespace

std::vector<Violation> check_plan(const ClusterView& view, const Plan& plan,
                                  std::pmr::memory_resource* memory) {
  Judge judge(view);
  if (plan.wake_at && *plan.wake_at <= view.now)
    judge.blame(Law::wakes_later, "wake_at " + std::to_string(plan.wake_at->raw) + " is not after now");
  if (plan.changes.empty()) return judge.take();
  Loads loads(view, memory);
  const Change* previous = nullptr;
  std::vector<const Change*> with_devices;
  for (const Change& change : plan.changes) {
    const auto job = view.jobs.find(change.job);
    if (job == view.jobs.end() || (previous && previous->job >= change.job)) {
      judge.blame(Law::known_job, text(change.job) + " is unknown, named twice or out of order");
      continue;
    }
    previous = &change;
    if (!judge.check_standing(job->second, change.placement, change.yield)) continue;
    if (gives_devices(job->second, change)) {
      if (!judge.check_devices(job->second, change.placement, change.devices)) continue;
      with_devices.push_back(&change);
    }
    const bool moved = change.placement != job->second.placement;
    judge.check_move(job->second, change.placement, change.devices, moved);
    loads.change(job->second, change, moved);
  }
  loads.check(judge);
  HeldByNode held;
  for (const Change* change : with_devices)
    for (const Share& share : change->placement) held[share.node.raw] = {};
  if (!held.empty()) judge.check_parts(std::move(held), with_devices);
  return judge.take();
}

std::vector<Violation> check_view(const ClusterView& view) {
  Judge judge(view);
  std::vector<Load> loads(view.nodes.size());
  for (const auto& [id, job] : view.jobs) {
    if (!judge.check_standing(job, job.placement, job.yield)) continue;
    judge.check_kind(job, job.placement);
    if (is_grouped(job.demand) || !job.devices.empty())
      (void)judge.check_devices(job, job.placement, job.devices);
    for (const Share& share : job.placement)
      loads[share.node.raw].add(job.demand.memory, job.demand.need * job.yield, share.units);
  }
  for (const Node& node : view.nodes) {
    // What a node has not told yet is not known to be too little.
    Load& load = loads[node.id.raw];
    if (node.memory.raw == 0) load.memory = {};
    if (node.capacity.raw == 0) load.cpu = {};
    judge.check_node(node.id, load);
  }
  HeldByNode held;
  for (const Node& node : view.nodes)
    if (!node.devices.empty()) held[node.id.raw] = {};
  if (!held.empty()) judge.check_parts(std::move(held), {});
  return judge.take();
}

const char* name(Law law) {
  constexpr const char* names[] = {"known_job",        "known_node",   "all_tasks",    "yield_in_range",
                                   "guaranteed_yield", "memory",       "cpu",          "held_stays_out",
                                   "pinned_stays",     "node_usable",  "wakes_later",  "immovable_stays",
                                   "devices",          "devices_stay", "device_parts", "spread",
                                   "within_kind",      "where_saved"};
  static_assert(std::size(names) == static_cast<std::size_t>(Law::where_saved) + 1);
  return names[static_cast<std::size_t>(law)];
}

}  // namespace aliquot
