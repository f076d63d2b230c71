#include "manager/node_watch.hpp"

#include <utility>

#include "manager/core/drain.hpp"
#include "manager/core/node_use.hpp"
#include "manager/site_command.hpp"

namespace aliquot {
namespace {

constexpr Duration kTryFenceAgain = seconds(60);
constexpr Duration kTryClearAgain = seconds(5);
constexpr Duration kClearPatience = seconds(60);
// A try takes a decision, and the jobs that are moved need the capacity that the try counted with.
constexpr std::size_t kTriesAtOnce = 1;
constexpr std::size_t kTriesToExplain = 20;

}  // namespace

NodeWatch::NodeWatch(Parts parts) : parts_(parts) {
  for (const Node& node : parts_.scheduler.cluster().view().nodes)
    if (node.state == NodeState::fenced) parts_.hypervisor.write_off(node.id);
}

void NodeWatch::every_second(Instant now) {
  now_ = now;
  const CoreState& state = parts_.scheduler.cluster().state();
  for (const Node& node : state.view.nodes) {
    const auto known = state.node_records.find(node.id);
    if (known == state.node_records.end() || node.service == NodeService::removed) continue;
    if (node.answers() && known->second.drain) drain(node, *known->second.drain, now);
    if (node.state == NodeState::suspect) declare_down(node, known->second, now);
    if (node.state == NodeState::down) fence(node, now);
    if (node.state == NodeState::fenced && known->second.returning) clear(node, now);
  }
}

// Before the actions of this step are performed: one on a VM of the node must not wait for it.
void NodeWatch::on_step(const Step& step, const ClusterView& after) {
  for (const Event& event : step.events) {
    if (const auto* fenced = std::get_if<NodeFenced>(&event))
      if (after.nodes.at(fenced->node.raw).state == NodeState::fenced)
        parts_.hypervisor.write_off(fenced->node);
    if (const auto* changed = std::get_if<NodeChanged>(&event); changed && changed->cleared)
      parts_.hypervisor.take_back(changed->node);
  }
}

void NodeWatch::declare_down(const Node& node, const NodeRecord& record, Instant now) {
  if (now - record.since < parts_.settings.fencing.down_after) return;
  if (parts_.hypervisor.held_by_other_cluster(node.id)) return;  // it answers
  NodeChanged down{node.id, NodeState::down, record.why};
  down.silent_since = record.since;
  parts_.inbox.post(Event{std::move(down)});
}

bool NodeWatch::is_busy(NodeId node, Instant now) const {
  const auto pause = not_before_.find(node);
  return under_way_.contains(node) || (pause != not_before_.end() && now < pause->second);
}

void NodeWatch::done(NodeId node, Duration pause) {
  under_way_.erase(node);
  not_before_[node] = now_ + pause;
}

void NodeWatch::fence(const Node& node, Instant now) {
  const FencingSettings& fencing = parts_.settings.fencing;
  if (fencing.command.empty() || is_busy(node.id, now)) return;
  under_way_.insert(node.id);
  SiteCommand command{"fencing.command", fencing.command, fencing.timeout, "fencing.timeout"};
  parts_.tasks.run([this, id = node.id, name = node.name, command]() -> std::function<void()> {
    auto said = run_site_command(command, name, parts_.stopping);
    return [this, id, said = std::move(said)] {
      done(id, kTryFenceAgain);
      if (said)
        parts_.inbox.post(Event{NodeFenced{id, "the fence command", *said}});
      else  // tells why, and leaves the node as it is
        parts_.inbox.post(Event{NodeChanged{id, NodeState::suspect, said.error().message}});
    };
  });
}

void NodeWatch::drain(const Node& node, const Drain& drain, Instant now) {
  const std::vector<DrainStep> steps = drain_steps(
      parts_.scheduler.cluster().view(), parts_.scheduler.policy(), node.id, drain, now, kTriesAtOnce);
  for (const DrainStep& step : steps) {
    if (step.turn == DrainTurn::wait || step.turn == DrainTurn::stay) continue;
    parts_.inbox.post(
        Event{Displaced{step.job, step.turn == DrainTurn::rerun, "node " + node.name + " is drained"}});
  }
  report(node, drain, now);
}

void NodeWatch::report(const Node& node, const Drain& drain, Instant now) {
  DrainReported report{node.id, DrainProgress::emptied, now - drain.since, ""};
  if (has_vms(parts_.scheduler.cluster().state(), node.id)) {
    if (!drain.deadline || now < *drain.deadline) return;
    report.progress = DrainProgress::overdue;
    if (drain.progress == DrainProgress::under_way)
      report.left = left_words(drain_steps(parts_.scheduler.cluster().view(), parts_.scheduler.policy(),
                                           node.id, drain, now, kTriesToExplain));
  }
  if (report.progress <= drain.progress) return;  // it has been said
  parts_.inbox.post(Event{std::move(report)});
}

void NodeWatch::clear(const Node& node, Instant now) {
  if (is_busy(node.id, now)) return;
  under_way_.insert(node.id);
  parts_.tasks.run([this, id = node.id]() -> std::function<void()> {
    auto destroyed = parts_.hypervisor.clear(id, kClearPatience);
    return [this, id, destroyed = std::move(destroyed)] {
      done(id, kTryClearAgain);
      if (!destroyed) return;  // it is tried again while the node answers
      NodeChanged back{id, NodeState::up,
                       "it answers again; old VMs that were destroyed: " + std::to_string(*destroyed)};
      back.cleared = true;
      parts_.inbox.post(Event{std::move(back)});
    };
  });
}

}  // namespace aliquot
