#include "policies/fitting/one_by_one.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "policies/placement/allocation.hpp"
#include "policies/placement/explanations.hpp"
#include "policies/placement/model/runs.hpp"
#include "policies/reasons.hpp"

namespace aliquot {
namespace {

constexpr std::array<const char*, 4> kNames = {"FIT-BEST", "FIT-DOT", "FGD", "FGD-FILL"};

struct Place {
  Placement placement;             // in increasing node
  std::vector<DeviceSet> devices;  // parallel to it; empty for a job without devices
};

// The most tasks on one node that leave a task for each of the other nodes that the job asks for.
std::uint32_t most_on_a_node(const Demand& demand) {
  const Spread& spread = demand.spread;
  if (spread.per_node > 0) return std::min(spread.per_node, demand.tasks);
  const std::uint32_t nodes = std::clamp(spread.min_nodes, 1U, demand.tasks);
  return demand.tasks - (demand.tasks / nodes) * (nodes - 1);
}

// On the nodes with the best scores, as many as the job needs, in the spread that it asks for. None: it
// does not fit now.
std::optional<Place> place_job(const Demand& demand, NodeScores& scores) {
  Demand on_a_node = demand;
  on_a_node.tasks = most_on_a_node(demand);
  const ScoresByNode& of_node = scores.of(on_a_node);
  std::vector<ScoredNode> nodes;
  for (const std::optional<ScoredNode>& node : of_node) {
    if (node) nodes.push_back(*node);
  }
  const bool run = demand.spread.contiguous && demand.tasks > 1;
  if (!run) std::ranges::sort(nodes);
  std::vector<ip::NodeAllocation> fits;
  for (const ScoredNode& node : nodes) fits.push_back({0, node.node, node.tasks, {}});
  const ip::Shape shape = ip::spread_of(demand);
  std::vector<ip::NodeAllocation> taken = run ? ip::shortest_run(shape, fits) : ip::distribute(shape, fits);
  if (taken.empty()) return std::nullopt;
  std::ranges::sort(taken, {}, &ip::NodeAllocation::node);
  Place place;
  for (const ip::NodeAllocation& each : taken) {
    place.placement.push_back({{each.node}, each.units});
    if (demand.devices.any()) place.devices.push_back(of_node[each.node]->devices);
  }
  return place;
}

bool waits(const Job& job) { return job.placement.empty() && !job.held; }

// Whether resources may have become free for any job, or other rules hold.
bool concerns_all(const Cause& cause) {
  return cause.completed || cause.tick || cause.woken || cause.disturbed;
}

// The jobs to try, in their order.
std::vector<const Job*> queue(const ClusterView& view) {
  std::vector<const Job*> jobs;
  if (concerns_all(view.cause)) {
    for (const auto& [id, job] : view.jobs)
      if (waits(job)) jobs.push_back(&job);
  } else {
    for (const JobId id : view.cause.arrived)
      if (const auto job = view.jobs.find(id); job != view.jobs.end() && waits(job->second))
        jobs.push_back(&job->second);
  }
  std::ranges::sort(
      jobs, {}, [](const Job* job) { return std::tuple(-job->demand.priority, job->submitted, job->id); });
  return jobs;
}

}  // namespace

std::string OneByOne::name() const { return kNames[static_cast<std::size_t>(rule_)]; }

Plan OneByOne::decide(const ClusterView& view) const {
  Draft draft = placing_draft(view);
  NodeScores nodes(draft, rule_);
  Allocation allocation(draft);
  for (const Job* job : queue(view)) {
    auto place = place_job(job->demand, nodes);
    if (!place) continue;
    for (std::size_t k = 0; k < place->placement.size(); ++k) {
      const Share& share = place->placement[k];
      nodes.take(share.node.raw, job->demand, share.units, place->devices.empty() ? 0 : place->devices[k]);
    }
    allocation.place(draft.index_of(job->id), place->placement, std::move(place->devices));
  }
  // Jobs that run below their need, after another policy, get the free CPU.
  Plan plan = allocation.plan();
  plan.memory.state = nodes.take_known();
  return plan;
}

Explanation OneByOne::explain(const ClusterView& view, JobId id) const {
  const Draft draft = placing_draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_whole_reason(draft, i)) return *plain;
  NodeScores nodes(draft, rule_);
  if (!place_job(view.jobs.at(id).demand, nodes)) return does_not_fit_now(draft, i);
  return explained(Reason::waiting_for_tick, "there is room for it: it starts at the next decision");
}

}  // namespace aliquot
