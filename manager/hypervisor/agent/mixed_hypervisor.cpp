#include "manager/hypervisor/agent/mixed_hypervisor.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace aliquot {
namespace {

using Clock = agent::AgentInspections::Clock;
constexpr NodeId kLibvirt{0}, kAgents{1};  // as both_ has them

// The node on which the action is to be done for its first task. All its tasks are on one side.
NodeId first_node(const Action& action, const JobSpec& spec) {
  return std::visit(
      [&](const auto& a) {
        if constexpr (requires { a.nodes; }) return a.nodes[0];
        if constexpr (requires { a.from; }) return a.from[0];
        return a.tasks.first < spec.tasks.size() ? spec.tasks[a.tasks.first].node : NodeId{};
      },
      action);
}

}  // namespace

MixedHypervisor::MixedHypervisor(Make libvirt, Make agents, std::string why_no_agents, Sink sink)
    : events_(std::move(sink)),
      why_no_agents_(std::move(why_no_agents)),
      both_([this](const VmQuery&, const Inspected& answer) { events_.post(answer); },
            [](const VmQuery&) { return agent::AgentInspections::Asked(); }) {
  libvirt_ = libvirt([this](Event event) { take(false, std::move(event)); });
  if (agents) agents_ = agents([this](Event event) { take(true, std::move(event)); });
}

MixedHypervisor::~MixedHypervisor() {
  events_.close();
  agents_.reset();
  libvirt_.reset();
}

bool MixedHypervisor::has_agent(NodeId node) const {
  const std::lock_guard lock(mutex_);
  return with_agent_.contains(node);
}

NodeHypervisor& MixedHypervisor::of(NodeId node) const {
  return agents_ && has_agent(node) ? *agents_ : *libvirt_;
}

void MixedHypervisor::take(bool from_agents, Event event) {
  const auto* fact = std::get_if<Inspected>(&event);
  if (fact != nullptr) {
    const std::lock_guard lock(mutex_);
    if (both_.found(from_agents ? kAgents : kLibvirt, *fact)) return;
  }
  events_.post(std::move(event));
}

// A job may have VMs on both sides only if it stands on unlike nodes: then each side gets its part.
void MixedHypervisor::perform(const Action& action, std::shared_ptr<const JobSpec> spec) {
  if (!spec || !agents_) return libvirt_->perform(action, std::move(spec));
  const TaskRun tasks = head(action).tasks;
  const bool with_agent = has_agent(first_node(action, *spec));
  bool is_one_side = true;
  for (std::uint32_t at = 0; at < tasks.count && tasks.first + at < spec->tasks.size(); ++at)
    is_one_side =
        is_one_side && has_agent(first_node(for_task(action, tasks.first + at), *spec)) == with_agent;
  if (const auto* move = std::get_if<Migrate>(&action); move && has_agent(move->to[0]) != with_agent) {
    Outcome refused{move->op, move->job, move->tasks, {}, {}, {}};
    refused.error =
        Error{ErrorKind::unsupported, "a VM does not move between a node with an agent and one without"};
    return events_.post(refused);
  }
  if (is_one_side) return (with_agent ? *agents_ : *libvirt_).perform(action, std::move(spec));
  for (std::uint32_t at = 0; at < tasks.count; ++at) {
    const Action one = for_task(action, tasks.first + at);
    of(first_node(one, *spec)).perform(one, spec);
  }
}

void MixedHypervisor::inspect(std::vector<VmQuery> queries) {
  if (!agents_) return libvirt_->inspect(std::move(queries));
  std::vector<VmQuery> of_libvirt, of_agents;
  for (VmQuery& query : queries) {
    if (query.nodes.empty()) {
      const std::lock_guard lock(mutex_);
      both_.begin(query, {{kLibvirt, kAgents}, true, Clock::time_point::max()}, true);
      of_libvirt.push_back(query);
      of_agents.push_back(std::move(query));
    } else {
      (has_agent(query.nodes.front()) ? of_agents : of_libvirt).push_back(std::move(query));
    }
  }
  if (!of_libvirt.empty()) libvirt_->inspect(std::move(of_libvirt));
  if (!of_agents.empty()) agents_->inspect(std::move(of_agents));
}

void MixedHypervisor::sample(NodeId node, SampleSink done) { of(node).sample(node, std::move(done)); }

void MixedHypervisor::on_departure(SampleSink sink) {
  libvirt_->on_departure(sink);
  if (agents_) agents_->on_departure(std::move(sink));
}

void MixedHypervisor::set_balloon(const VmBalloon& balloon) { of(balloon.node).set_balloon(balloon); }

void MixedHypervisor::forget(JobId job) {
  libvirt_->forget(job);
  if (agents_) agents_->forget(job);
}

void MixedHypervisor::set_max_output(Memory limit) {
  libvirt_->set_max_output(limit);
  if (agents_) agents_->set_max_output(limit);
}

void MixedHypervisor::set_node(NodeId id, const NodeSettings& node, const std::string& host) {
  const bool with_agent = !agent_address(node).empty();
  if (has_agent(id) != with_agent) of(id).remove_node(id);
  {
    const std::lock_guard lock(mutex_);
    with_agent_.erase(id);
    if (with_agent) with_agent_.insert(id);
  }
  if (!with_agent || agents_) return of(id).set_node(id, node, host);
  events_.post(NodeChanged{id, NodeState::suspect, "node " + node.name + ": " + why_no_agents_});
}

void MixedHypervisor::remove_node(NodeId id) {
  of(id).remove_node(id);
  const std::lock_guard lock(mutex_);
  with_agent_.erase(id);
}

Result<NodeFacts> MixedHypervisor::node_facts(NodeId node, Duration patience, bool probe) {
  return of(node).node_facts(node, patience, probe);
}
Result<NodeSurvey> MixedHypervisor::survey(NodeId node, Duration patience) {
  return of(node).survey(node, patience);
}
Result<void> MixedHypervisor::destroy_orphan(NodeId node, const Uuid& uuid, Duration patience) {
  return of(node).destroy_orphan(node, uuid, patience);
}
Result<std::uint32_t> MixedHypervisor::clear(NodeId node, Duration patience) {
  return of(node).clear(node, patience);
}
Result<void> MixedHypervisor::suspend(NodeId node, Duration patience) {
  return of(node).suspend(node, patience);
}
void MixedHypervisor::write_off(NodeId node) { of(node).write_off(node); }
void MixedHypervisor::take_back(NodeId node) { of(node).take_back(node); }
Result<std::unique_ptr<VmTerminal>> MixedHypervisor::open_terminal(const TerminalTarget& target,
                                                                   TerminalListener listener) {
  return of(target.node).open_terminal(target, std::move(listener));
}

bool MixedHypervisor::held_by_other_cluster(NodeId node) const {
  return of(node).held_by_other_cluster(node);
}
std::uint64_t MixedHypervisor::messages_refused(NodeId node) const {
  return of(node).messages_refused(node);
}
std::uint64_t MixedHypervisor::epochs_refused(NodeId node) const { return of(node).epochs_refused(node); }

}  // namespace aliquot
