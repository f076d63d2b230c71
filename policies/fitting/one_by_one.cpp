#include "policies/fitting/one_by_one.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policies/dfrs/average_yield.hpp"
#include "policies/placement/explanations.hpp"
#include "policies/reasons.hpp"

namespace aliquot {
namespace {

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

// Takes nodes in this order until all tasks have a place.
std::optional<Place> take(const Demand& demand, const std::vector<ScoredNode>& nodes) {
  const Spread& spread = demand.spread;
  const auto most = static_cast<std::size_t>(spread.max_nodes > 0 ? spread.max_nodes : demand.tasks);
  std::vector<ScoredNode> taken;
  std::uint32_t missing = demand.tasks;
  for (ScoredNode each : nodes) {
    if (missing == 0 || taken.size() == most) break;
    // A node that holds fewer would use up the nodes that the job may have.
    const auto nodes_left = static_cast<std::uint32_t>(most - taken.size());
    const std::uint32_t least =
        spread.per_node > 0 ? std::min(spread.per_node, missing) : (missing + nodes_left - 1) / nodes_left;
    if (each.tasks < least) continue;
    // Each node that has to follow gets one task at least.
    const auto so_far = static_cast<std::uint32_t>(taken.size()) + 1;
    const std::uint32_t reserved = spread.min_nodes > so_far ? spread.min_nodes - so_far : 0;
    each.tasks = std::min(each.tasks, missing - std::min(missing - 1, reserved));
    missing -= each.tasks;
    taken.push_back(each);
  }
  if (missing > 0) return std::nullopt;
  std::ranges::sort(taken, {}, &ScoredNode::node);
  Place place;
  for (const ScoredNode& each : taken) {
    place.placement.push_back({{each.node}, each.tasks});
    if (demand.devices.any()) place.devices.push_back(each.devices);
  }
  return place;
}

// The shortest contiguous run that can hold the job. `nodes` in increasing number.
std::optional<Place> shortest_run(const Demand& demand, const std::vector<ScoredNode>& nodes) {
  std::optional<Place> best;
  for (std::size_t first = 0; first < nodes.size(); ++first) {
    std::uint64_t tasks = 0;
    for (std::size_t last = first; last < nodes.size(); ++last) {
      const std::size_t length = last - first + 1;
      if (nodes[last].node - nodes[first].node != length - 1) break;
      if (best && length >= best->placement.size()) break;
      tasks += nodes[last].tasks;
      if (tasks < demand.tasks || length < std::min(demand.spread.min_nodes, demand.tasks)) continue;
      const auto from = nodes.begin() + static_cast<std::ptrdiff_t>(first);
      auto place = take(demand, {from, from + static_cast<std::ptrdiff_t>(length)});
      if (place && place->placement.size() == length) best = std::move(place);
    }
  }
  return best;
}

// On the nodes with the best scores, as many as the job needs, in the spread that it asks for. None: it
// does not fit now.
std::optional<Place> place_job(const Demand& demand, NodeScores& scores) {
  Demand on_a_node = demand;
  on_a_node.tasks = most_on_a_node(demand);
  std::vector<ScoredNode> nodes;
  for (const std::optional<ScoredNode>& node : scores.of(on_a_node)) {
    if (node) nodes.push_back(*node);
  }
  if (demand.tasks == 1 && !nodes.empty()) return take(demand, {*std::ranges::min_element(nodes)});
  if (demand.spread.contiguous) return shortest_run(demand, nodes);
  std::ranges::sort(nodes);
  return take(demand, nodes);
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

// The plan of these placements. Jobs that run below their need, after another policy, get the free CPU.
Plan plan_of(const ClusterView& view, std::vector<Change> placed) {
  std::ranges::sort(placed, {}, &Change::job);
  Plan plan;
  if (view.index.kept() && view.index.all_served()) {
    plan.changes = std::move(placed);
    return plan;
  }
  Draft draft = placing_draft(view);
  for (const Change& change : placed) draft.place(draft.index_of(change.job), change.placement);
  plan = draft.plan(fair_yields(draft));
  for (Change& change : plan.changes) {
    const auto mine = std::ranges::lower_bound(placed, change.job, {}, &Change::job);
    const bool fresh = mine != placed.end() && mine->job == change.job;
    if (!change.placement.empty())
      change.devices = fresh ? mine->devices : view.jobs.at(change.job).devices;
  }
  return plan;
}

}  // namespace

std::string OneByOne::name() const {
  switch (rule_) {
    case FitRule::best_fit:
      return "FIT-BEST";
    case FitRule::dot_product:
      return "FIT-DOT";
    case FitRule::fgd:
      return "FGD";
    case FitRule::fgd_fill:
      return "FGD-FILL";
  }
  return {};
}

NodeScores OneByOne::scores(const ClusterView& view) const {
  const bool fgd = rule_ == FitRule::fgd || rule_ == FitRule::fgd_fill;
  return {view, rule_, fgd ? &fragmentation_.of(view) : nullptr};
}

Plan OneByOne::decide(const ClusterView& view) const {
  const std::vector<const Job*> jobs = queue(view);
  if (jobs.empty()) return plan_of(view, {});
  NodeScores nodes = scores(view);
  std::vector<Change> placed;
  for (const Job* job : jobs) {
    auto place = place_job(job->demand, nodes);
    if (!place) continue;
    for (std::size_t k = 0; k < place->placement.size(); ++k) {
      const Share& share = place->placement[k];
      nodes.take(share.node.raw, job->demand, share.units, place->devices.empty() ? 0 : place->devices[k]);
    }
    placed.push_back({job->id, std::move(place->placement), kFullYield, std::move(place->devices)});
  }
  return plan_of(view, std::move(placed));
}

Explanation OneByOne::explain(const ClusterView& view, JobId id) const {
  const Draft draft = placing_draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_reason(draft, i)) return *plain;
  if (auto never = never_fits_whole(draft, i)) return *never;
  NodeScores nodes = scores(view);
  if (!place_job(view.jobs.at(id).demand, nodes)) return does_not_fit_now(draft, i);
  Explanation why;
  why.reason = Reason::waiting_for_tick;
  why.text = "there is room for it: it starts at the next decision";
  return why;
}

}  // namespace aliquot
