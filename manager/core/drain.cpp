#include "manager/core/drain.hpp"

#include <algorithm>
#include <utility>

#include "manager/core/moves.hpp"
#include "policies/model/hypervisor_kind.hpp"

namespace aliquot {
namespace {

bool has(const Placement& places, NodeId node) {
  return std::ranges::find(places, node, &Share::node) != places.end();
}

void take_off_its_nodes(ClusterView& view, JobId id) {
  Job& job = view.jobs.at(id);
  job.phase = Phase::paused;
  job.placement.clear();
  job.devices.clear();
  job.yield = {};
  if (std::exchange(job.cools_down, false)) job.pinned = false;
}

// Under a policy that gives whole nodes, a job may have grown on one that it has to itself. Off that node
// it needs one for each task: the cluster may have fewer, and saves that a node keeps tie it to that node.
bool never_goes_on(ClusterView view, const Policy& policy, JobId id) {
  if (policy.shares_cpu()) return false;
  for (Node& node : view.nodes)
    if (node.service == NodeService::draining) node.service = NodeService::in_service;
  Job& job = view.jobs.at(id);
  if (any_keeps_saves(view.nodes, job.placement)) job.tied_to = job.placement;
  take_off_its_nodes(view, id);
  view.index.rebuild(view);
  return policy.explain(view, id).reason == Reason::never_fits;
}

// Would the policy place this job elsewhere at once if the node took nothing and it were off its nodes?
bool has_place_elsewhere(ClusterView view, const Policy& policy, JobId id, NodeId drained) {
  view.nodes[drained.raw].service = NodeService::draining;
  take_off_its_nodes(view, id);
  view.cause = {};
  view.cause.arrived = {id};
  view.cause.disturbed = true;
  view.index.rebuild(view);
  const Plan plan = policy.decide(view);
  return std::ranges::any_of(
      plan.changes, [id](const Change& change) { return change.job == id && !change.placement.empty(); });
}

// Why the policy has no place for it.
std::string why_no_place(const ClusterView& view, const Job& job, NodeId drained) {
  if (!job.bound || std::ranges::any_of(view.nodes, [&](const Node& node) {
        return node.id != drained && node.usable() && node.hypervisor == *job.bound;
      }))
    return "the policy has no place for it elsewhere now";
  const std::string kind(name(*job.bound));
  return "its VMs are of " + kind + ", and no other node of " + kind + " is up and in service";
}

// `mode`: with what becomes of the job once the deadline has passed.
DrainStep step_of(const ClusterView& view, const Policy& policy, const Job& job, NodeId node,
                  DrainMode mode, std::size_t& tries) {
  if (job.in_flight) return {job.id, DrainTurn::wait, "an action on its VMs is under way"};
  if (mode == DrainMode::requeue) return {job.id, DrainTurn::rerun, ""};
  if (!job.demand.movable) {
    const bool device = job.demand.devices.any();
    return {job.id, DrainTurn::stay,
            device ? "it holds a device, so it can be neither saved nor moved"
                   : "it is not movable (movable: false)"};
  }
  if (must_stay(job)) return {job.id, DrainTurn::stay, "another of its nodes does not answer"};
  if (mode == DrainMode::save) {
    if (never_goes_on(view, policy, job.id))
      return {job.id, DrainTurn::stay,
              "saved, it could not go on: it would need more whole nodes than there are; --mode requeue "
              "starts it anew"};
    const bool stays = view.nodes[node.raw].keeps_saves;
    return {job.id, DrainTurn::save,
            stays ? "to a disk of this node: it goes on here, after the drain" : ""};
  }
  if (mode == DrainMode::wait) return {job.id, DrainTurn::wait, "it runs to its end"};
  if (tries == 0) return {job.id, DrainTurn::wait, "others are moved first"};
  --tries;
  if (has_place_elsewhere(view, policy, job.id, node)) return {job.id, DrainTurn::move, ""};
  return {job.id, DrainTurn::wait, why_no_place(view, job, node)};
}

DrainMode mode_at(const Drain& drain, Instant now) {
  if (!drain.deadline || now < *drain.deadline || drain.then == AfterDeadline::stay) return drain.mode;
  if (drain.mode == DrainMode::requeue) return drain.mode;
  return drain.then == AfterDeadline::requeue ? DrainMode::requeue : DrainMode::save;
}

}  // namespace

std::string_view word(DrainTurn turn) {
  constexpr std::string_view words[] = {"move", "save", "rerun", "wait", "stay"};
  return words[static_cast<std::size_t>(turn)];
}

std::vector<DrainStep> drain_steps(const ClusterView& view, const Policy& policy, NodeId node,
                                   const Drain& drain, Instant now, std::size_t most) {
  const DrainMode mode = mode_at(drain, now);
  std::vector<DrainStep> steps;
  for (const auto& [id, job] : view.jobs) {
    if (has(job.placement, node)) steps.push_back(step_of(view, policy, job, node, mode, most));
    if (has(job.tied_to, node))
      steps.push_back(
          {id, DrainTurn::stay, "it is saved on a disk of this node: it goes on after the drain"});
  }
  return steps;
}

std::string left_words(const std::vector<DrainStep>& steps) {
  constexpr std::size_t kMostNamed = 10;
  std::string text;
  for (std::size_t n = 0; n < std::min(steps.size(), kMostNamed); ++n) {
    const DrainStep& step = steps[n];
    text += (text.empty() ? "job " : "; job ") + std::to_string(step.job.raw) + " (" +
            std::string(word(step.turn)) + ")" + (step.why.empty() ? "" : ": " + step.why);
  }
  if (steps.size() > kMostNamed) text += " and " + std::to_string(steps.size() - kMostNamed) + " more";
  return text;
}

}  // namespace aliquot
