#include "manager/plan_saving.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "config/quantities.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kMostNamed = 5;  // differences in a message

std::string node_text(const ClusterView& view, NodeId node) {
  return node.raw < view.nodes.size() ? view.nodes[node.raw].name
                                      : "node number " + std::to_string(node.raw);
}

std::string places_text(const ClusterView& view, const Placement& places) {
  std::string text;
  for (const Share& share : places)
    text += (text.empty() ? "" : ",") + node_text(view, share.node) + ":" + std::to_string(share.units);
  return text;
}

// "running on n1:2 at yield 0.5; 2 tasks of 1 core and 256MiB"
std::string job_facts(const ClusterView& view, const Job& job) {
  std::string text(word(job.phase));
  if (!job.placement.empty())
    text += " on " + places_text(view, job.placement) + " at yield " + print_ratio(job.yield.raw);
  if (job.held) text += ", held";
  if (job.pinned) text += ", pinned";
  if (!job.tied_to.empty()) text += ", saved on " + places_text(view, job.tied_to);
  return text + "; " + std::to_string(job.demand.tasks) +
         (job.demand.tasks == 1 ? " task of " : " tasks of ") + say_cores(job.demand.need) + " and " +
         print_memory(job.demand.memory);
}

// What the jobs hold of a node.
struct Held {
  Cpu cpu;
  Memory memory;
  std::string jobs;
};
using HeldByNode = std::map<NodeId, Held>;

// Fills in the nodes that are in the map.
void add_held(const ClusterView& view, HeldByNode& held) {
  for (const auto& [id, job] : view.jobs)
    for (const Share& share : job.placement) {
      const auto at = held.find(share.node);
      if (at == held.end()) continue;
      at->second.cpu += (job.demand.need * job.yield) * share.units;
      at->second.memory += job.demand.memory * share.units;
      at->second.jobs += (at->second.jobs.empty() ? "" : ", ") + std::to_string(id.raw);
    }
}

// "up, in_service, on; 4 cores and 8GiB; gives 2.5 cores and 1GiB to jobs 1, 3"
std::string node_facts(const Node& node, const Held& held) {
  std::string text = std::string(word(node.state)) + ", " + std::string(word(node.service)) + ", " +
                     std::string(word(node.power)) + "; " + say_cores(node.capacity) + " and " +
                     print_memory(node.memory);
  if (held.jobs.empty()) return text + "; no jobs";
  return text + "; gives " + say_cores(held.cpu) + " and " + print_memory(held.memory) + " to jobs " +
         held.jobs;
}

using NodesByName = std::map<std::string, const Node*>;

NodesByName nodes_by_name(const ClusterView& view) {
  NodesByName nodes;
  for (const Node& node : view.nodes) nodes.emplace(node.name, &node);
  return nodes;
}

// What has changed since the plan was made, in words.
std::vector<std::string> differences(const SavedPlan& plan, const ClusterView& view,
                                     const NodesByName& nodes) {
  std::vector<std::string> found;
  const auto compare = [&](const std::string& what, const std::string& was, const std::string& is) {
    if (was != is) found.push_back(what + " was \"" + was + "\" and is \"" + is + "\"");
  };
  for (const SavedJobFacts& saved : plan.jobs) {
    const auto job = view.jobs.find(saved.job);
    compare("job " + std::to_string(saved.job.raw), saved.facts,
            job == view.jobs.end() ? "ended" : job_facts(view, job->second));
  }
  HeldByNode held;
  for (const SavedNodeFacts& saved : plan.nodes)
    if (const auto node = nodes.find(saved.node); node != nodes.end()) held[node->second->id];
  add_held(view, held);
  for (const SavedNodeFacts& saved : plan.nodes) {
    const auto node = nodes.find(saved.node);
    compare("node " + saved.node, saved.facts,
            node == nodes.end() ? "not known" : node_facts(*node->second, held[node->second->id]));
  }
  return found;
}

std::string first_of(const std::vector<std::string>& differences) {
  std::string text;
  for (std::size_t n = 0; n < std::min(differences.size(), kMostNamed); ++n)
    text += (n == 0 ? "" : "; ") + differences[n];
  const std::size_t more = differences.size() - std::min(differences.size(), kMostNamed);
  return more == 0 ? text : text + "; and " + std::to_string(more) + " more differences";
}

// Of a job or a node that is changed the plan says nothing: it was edited.
Result<void> rests_on_all(const SavedPlan& plan) {
  const auto edited = [](const std::string& what) {
    return fail(ErrorKind::invalid_argument,
                "the plan changes " + what +
                    ", and does not say how it was; make a new one with `aliquot "
                    "plan --save FILE`");
  };
  std::set<JobId> jobs;
  std::set<std::string> nodes;
  for (const SavedJobFacts& saved : plan.jobs) jobs.insert(saved.job);
  for (const SavedNodeFacts& saved : plan.nodes) nodes.insert(saved.node);
  for (const SavedChange& change : plan.changes) {
    if (!jobs.contains(change.job)) return edited("job " + std::to_string(change.job.raw));
    for (const SavedShare& share : change.to)
      if (!nodes.contains(share.node)) return edited("node " + share.node);
  }
  return {};
}

}  // namespace

SavedPlan saved_plan(PlanOrigin origin, const ClusterView& view, const std::vector<Change>& changes) {
  SavedPlan plan{
      std::move(origin.cluster), std::move(origin.made_at), std::move(origin.policy), {}, {}, {}};
  HeldByNode held;
  for (const Change& change : changes) {
    const auto job = view.jobs.find(change.job);
    if (job == view.jobs.end()) continue;
    SavedChange saved{change.job, {}, change.yield};
    for (std::size_t k = 0; k < change.placement.size(); ++k) {
      const Share& share = change.placement[k];
      saved.to.push_back({node_text(view, share.node), share.units,
                          k < change.devices.size() ? change.devices[k] : DeviceSet{0}});
      held[share.node];
    }
    for (const Share& share : job->second.placement) held[share.node];
    plan.changes.push_back(std::move(saved));
    plan.jobs.push_back({change.job, job_facts(view, job->second)});
  }
  add_held(view, held);
  for (const auto& [id, holds] : held) {
    const Node& node = view.nodes[id.raw];
    plan.nodes.push_back({node.name, node_facts(node, holds)});
  }
  return plan;
}

Result<std::vector<Change>> changes_of(const SavedPlan& plan, const std::string& cluster,
                                       const ClusterView& view) {
  if (plan.cluster != cluster)
    return fail(ErrorKind::conflict,
                "the plan is for the cluster " + quote(plan.cluster) + ", and this is " + quote(cluster));
  if (auto whole = rests_on_all(plan); !whole) return tl::unexpected<Error>(whole.error());
  const NodesByName nodes = nodes_by_name(view);
  const std::vector<std::string> changed = differences(plan, view, nodes);
  if (!changed.empty())
    return fail(ErrorKind::conflict, "the plan of " + plan.made_at +
                                         " is stale, and nothing is changed: " + first_of(changed) +
                                         "; make a new one with `aliquot plan --save FILE`");
  std::vector<Change> changes;
  for (const SavedChange& saved : plan.changes) {
    Change change{saved.job, {}, saved.yield, {}};
    for (const SavedShare& share : saved.to) {
      change.placement.push_back({nodes.at(share.node)->id, share.tasks});
      if (share.slots != 0) change.devices.push_back(share.slots);
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace aliquot
