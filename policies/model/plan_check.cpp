#include "policies/model/plan_check.hpp"

#include <set>
#include <string>

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
  explicit Judge(const ClusterView& view) : view_(view), loads_(view.nodes.size()) {}

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

  // What a change may not do, seen against what the job is now.
  void check_move(const Job& job, const Placement& placement) {
    if (job.held && !placement.empty() && job.placement.empty())
      blame(Law::held_stays_out, text(job.id) + " is held and would be placed");
    const bool moved = placement != job.placement;
    if (job.pinned && moved && !job.placement.empty())
      blame(Law::pinned_stays, text(job.id) + " cannot be moved or paused now");
    if (!moved) return;
    for (const Share& share : placement)
      if (share.units > units_on(job.placement, share.node) && !view_.nodes[share.node.raw].usable())
        blame(Law::node_usable, text(job.id) + " would be placed on " + view_.nodes[share.node.raw].name +
                                    ", which takes nothing new");
  }

  void add(const Job& job, const Placement& placement, Yield yield) {
    for (const Share& share : placement) {
      Load& load = loads_[share.node.raw];
      load.memory += job.demand.memory * share.units;
      load.cpu += (job.demand.need * yield) * share.units;
    }
  }

  void check_node(NodeId id) {
    const Node& node = view_.nodes[id.raw];
    const Load& load = loads_[id.raw];
    if (load.memory > node.memory)
      blame(Law::memory, node.name + " would hold " + std::to_string(load.memory.raw) + " bytes of " +
                             std::to_string(node.memory.raw));
    if (load.cpu > node.capacity)
      blame(Law::cpu, node.name + " would give " + std::to_string(load.cpu.raw) + " micro-cores of " +
                          std::to_string(node.capacity.raw));
  }

  void blame(Law law, std::string what) { found_.push_back({law, std::move(what)}); }

 private:
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
  std::vector<Load> loads_;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> check_plan(const ClusterView& view, const Plan& plan) {
  Judge judge(view);
  std::map<JobId, const Change*> changed;
  std::set<NodeId> touched;
  const Change* previous = nullptr;
  for (const Change& change : plan.changes) {
    const auto job = view.jobs.find(change.job);
    if (job == view.jobs.end() || (previous && previous->job >= change.job)) {
      judge.blame(Law::known_job, text(change.job) + " is unknown, named twice or out of order");
      continue;
    }
    previous = &change;
    if (!judge.check_standing(job->second, change.placement, change.yield)) continue;
    judge.check_move(job->second, change.placement);
    changed.emplace(change.job, &change);
    for (const Share& share : change.placement) touched.insert(share.node);
  }
  for (const auto& [id, job] : view.jobs) {
    const auto change = changed.find(id);
    if (change == changed.end())
      judge.add(job, job.placement, job.yield);
    else
      judge.add(job, change->second->placement, change->second->yield);
  }
  for (const NodeId node : touched) judge.check_node(node);
  if (plan.wake_at && *plan.wake_at <= view.now)
    judge.blame(Law::wakes_later, "wake_at " + std::to_string(plan.wake_at->raw) + " is not after now");
  return judge.take();
}

std::vector<Violation> check_view(const ClusterView& view) {
  Judge judge(view);
  for (const auto& [id, job] : view.jobs)
    if (judge.check_standing(job, job.placement, job.yield)) judge.add(job, job.placement, job.yield);
  for (const Node& node : view.nodes) judge.check_node(node.id);
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
  }
  return "unknown";
}

}  // namespace aliquot
