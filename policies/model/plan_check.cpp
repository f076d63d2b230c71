#include "policies/model/plan_check.hpp"

#include <algorithm>
#include <string>

#include "policies/model/constraint_check.hpp"

namespace aliquot {
namespace {

std::string text(JobId job) { return "job " + std::to_string(job.raw); }

// What the laws add up over a node: every job that would stand on it.
struct Load {
  Memory memory;
  Cpu cpu;
};

class Judge {
 public:
  explicit Judge(const ClusterView& view) : view_(view) {}

  [[nodiscard]] std::vector<Violation> take() { return std::move(found_); }
  [[nodiscard]] std::vector<Violation>& found() { return found_; }

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
    if (job.demand.spread.any() && !placement.empty()) check_spread(job, placement, found_);
    for (const Share& share : placement)
      if (!view_.nodes[share.node.raw].usable() && share.units > units_on(job.placement, share.node))
        blame(Law::node_usable, text(job.id) + " would be placed on " + view_.nodes[share.node.raw].name +
                                    ", which takes nothing new");
  }

  void check_node(NodeId id, const Load& load) {
    const Node& node = view_.nodes[id.raw];
    if (load.memory > node.memory || load.cpu > node.capacity) blame_node(node, load);
  }

  void blame(Law law, std::string what) { found_.push_back({law, std::move(what)}); }

 private:
  void blame_node(const Node& node, const Load& load) {
    if (load.memory > node.memory)
      blame(Law::memory, node.name + " would hold " + std::to_string(load.memory.raw) + " bytes of " +
                             std::to_string(node.memory.raw));
    if (load.cpu > node.capacity)
      blame(Law::cpu, node.name + " would give " + std::to_string(load.cpu.raw) + " micro-cores of " +
                          std::to_string(node.capacity.raw));
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

// What the nodes that a plan places something on would hold. Over the index only they and the changed jobs
// are looked at; without one, all jobs are. Few changes are listed and sorted by node, many are added up
// node by node.
class Loads {
 public:
  Loads(const ClusterView& view, const Plan& plan, std::pmr::memory_resource* memory)
      : view_(view), known_(view.index.kept()), sums_(memory), deltas_(memory) {
    std::size_t shares = 0;
    for (const Change& change : plan.changes) shares += change.placement.size();
    if (!known_ || 2 * shares > view.nodes.size() / 4)  // where they stand now, too
      sums_.resize(view.nodes.size());
    else
      deltas_.reserve(2 * shares);
    if (!known_)
      for (const auto& [id, job] : view.jobs)
        add(job.placement, {job.demand.memory, job.demand.need * job.yield}, 1, false);
  }

  // `moved`: the job would stand elsewhere.
  void change(const Job& job, const Change& change, bool moved) {
    const Load now{job.demand.memory, job.demand.need * job.yield};
    const Load next{job.demand.memory, job.demand.need * change.yield};
    if (!moved) return add(change.placement, {Memory{}, next.cpu - now.cpu}, 1, true);
    add(job.placement, now, -1, false);
    add(change.placement, next, 1, true);
  }

  // Calls check(NodeId, Load) for each node that would get something, in increasing order.
  template <class Check>
  void for_each_touched(Check check) {
    for (std::uint32_t n = 0; n < sums_.size(); ++n)
      if (sums_[n].gains) check(NodeId{n}, with_known({n}, sums_[n]).load);
    const auto before = [](const Delta& a, const Delta& b) { return a.node < b.node; };
    if (!std::is_sorted(deltas_.begin(), deltas_.end(), before))
      std::sort(deltas_.begin(), deltas_.end(), before);
    for (auto delta = deltas_.begin(); delta != deltas_.end();) {
      const NodeId node{delta->node};
      Sum sum = with_known(node, {});
      for (; delta != deltas_.end() && delta->node == node.raw; ++delta)
        sum.add(delta->load, 1, delta->gains);
      if (sum.gains) check(node, sum.load);
    }
  }

 private:
  struct Delta {
    std::uint32_t node = 0;
    bool gains = false;  // something would be placed there
    Load load;
  };
  struct Sum {
    Load load;
    bool gains = false;

    void add(const Load& each, std::int64_t units, bool gain) {
      gains = gains || gain;
      load.memory += each.memory * units;
      load.cpu += each.cpu * units;
    }
  };

  void add(const Placement& placement, const Load& each, std::int64_t sign, bool gains) {
    if (!sums_.empty()) {
      for (const Share& share : placement) sums_[share.node.raw].add(each, sign * share.units, gains);
      return;
    }
    for (const Share& share : placement) {
      const std::int64_t units = sign * share.units;
      deltas_.push_back({share.node.raw, gains, {each.memory * units, each.cpu * units}});
    }
  }

  [[nodiscard]] Sum with_known(NodeId node, Sum sum) const {
    if (known_) sum.add({view_.index.load(node).memory, view_.index.load(node).given}, 1, false);
    return sum;
  }

  const ClusterView& view_;
  const bool known_;
  std::pmr::vector<Sum> sums_;  // by node; empty: they are listed
  std::pmr::vector<Delta> deltas_;
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
  Loads loads(view, plan, memory);
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
      if (!check_devices(view, job->second, change.placement, change.devices, judge.found())) continue;
      with_devices.push_back(&change);
    }
    const bool moved = change.placement != job->second.placement;
    judge.check_move(job->second, change.placement, change.devices, moved);
    loads.change(job->second, change, moved);
  }
  loads.for_each_touched([&](NodeId node, const Load& load) { judge.check_node(node, load); });
  if (!with_devices.empty()) check_parts(view, with_devices, judge.found());
  return judge.take();
}

std::vector<Violation> check_view(const ClusterView& view) {
  Judge judge(view);
  std::vector<Load> loads(view.nodes.size());
  for (const auto& [id, job] : view.jobs) {
    if (!judge.check_standing(job, job.placement, job.yield)) continue;
    if (is_grouped(job.demand) || !job.devices.empty())
      (void)check_devices(view, job, job.placement, job.devices, judge.found());
    for (const Share& share : job.placement) {
      loads[share.node.raw].memory += job.demand.memory * share.units;
      loads[share.node.raw].cpu += (job.demand.need * job.yield) * share.units;
    }
  }
  for (const Node& node : view.nodes) judge.check_node(node.id, loads[node.id.raw]);
  if (!view.device_models.empty()) check_parts(view, judge.found());
  return judge.take();
}

const char* name(Law law) {
  switch (law) {
    case Law::known_job:
      return "known_job";
    case Law::known_node:
      return "known_node";
    case Law::all_tasks:
      return "all_tasks";
    case Law::yield_in_range:
      return "yield_in_range";
    case Law::guaranteed_yield:
      return "guaranteed_yield";
    case Law::memory:
      return "memory";
    case Law::cpu:
      return "cpu";
    case Law::held_stays_out:
      return "held_stays_out";
    case Law::pinned_stays:
      return "pinned_stays";
    case Law::node_usable:
      return "node_usable";
    case Law::wakes_later:
      return "wakes_later";
    case Law::immovable_stays:
      return "immovable_stays";
    case Law::devices:
      return "devices";
    case Law::devices_stay:
      return "devices_stay";
    case Law::device_parts:
      return "device_parts";
    case Law::spread:
      return "spread";
  }
  return "unknown";
}

}  // namespace aliquot
