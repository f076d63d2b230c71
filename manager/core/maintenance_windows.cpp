#include "manager/core/maintenance_windows.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace aliquot {
namespace {

bool is_drained_for(const CoreState& state, NodeId node, const MaintenanceWindow& window) {
  const auto known = state.node_records.find(node);
  if (known == state.node_records.end() || !known->second.drain) return false;
  return known->second.drain->window == window.name;
}

Drain drain_for(const MaintenanceWindow& window, Instant now) {
  Drain drain{window.mode, deadline_of(window), now, window.by, window.then};
  drain.window = window.name;
  return drain;
}

// The drain of its nodes begins.
void begin(const CoreState& state, const MaintenanceWindow& window, std::vector<Event>& due) {
  for (const NodeId node : window.nodes)
    if (state.view.nodes[node.raw].service == NodeService::in_service)
      due.emplace_back(
          ServiceChanged{node, NodeService::draining, drain_for(window, state.view.now), "", true});
  due.emplace_back(WindowChanged{window, WindowStage::begun, "", true});
}

// What stays there when the deadline of such a drain is past is what can be neither saved nor moved.
bool leaves_what_is_fixed(DrainMode mode, AfterDeadline then) {
  return mode != DrainMode::requeue && then != AfterDeadline::requeue;
}

// An announced drain without a deadline is to be over at once.
NodeClosing closing_of(NodeId node, const Drain& announced) {
  return {node, announced.deadline.value_or(announced.since), std::nullopt, {}};
}

}  // namespace

Instant drained_from(const MaintenanceWindow& window) { return window.from - window.lead; }

Instant deadline_of(const MaintenanceWindow& window) { return window.from - Duration{window.lead.raw / 2}; }

const MaintenanceWindow* window_named(const CoreState& state, std::string_view name) {
  const auto found = std::ranges::find(state.windows, name, &MaintenanceWindow::name);
  return found == state.windows.end() ? nullptr : &*found;
}

std::vector<Event> end_of_window(const CoreState& state, const MaintenanceWindow& window,
                                 const std::string& why, bool is_due) {
  std::vector<Event> events;
  for (const NodeId node : window.nodes)
    if (is_drained_for(state, node, window))
      events.emplace_back(ServiceChanged{node, NodeService::in_service, {}, window.name, is_due});
  events.emplace_back(WindowChanged{window, WindowStage::over, why, is_due});
  return events;
}

std::vector<Event> due_maintenance(const CoreState& state) {
  const Instant now = state.view.now;
  std::vector<Event> due;
  for (const auto& [node, drain] : state.announced)
    if (drain.since <= now) due.emplace_back(ServiceChanged{node, NodeService::draining, drain, "", true});
  for (const MaintenanceWindow& window : state.windows) {
    if (window.to <= now)
      std::ranges::move(end_of_window(state, window, "its end has come", true), std::back_inserter(due));
    else if (!window.begun && drained_from(window) <= now)
      begin(state, window, due);
  }
  return due;
}

Instant next_maintenance(const CoreState& state) {
  Instant next = kNever;
  for (const auto& [node, drain] : state.announced) next = std::min(next, drain.since);
  for (const MaintenanceWindow& window : state.windows)
    next = std::min(next, window.begun ? window.to : drained_from(window));
  return next;
}

std::vector<NodeClosing> closings(const CoreState& state) {
  std::map<NodeId, NodeClosing> next;
  const auto add = [&](const NodeClosing& closing) {
    NodeClosing& known = next.try_emplace(closing.node, closing).first->second;
    if (closing.from < known.from) known = closing;
  };
  for (const auto& [node, drain] : state.announced)
    if (leaves_what_is_fixed(drain.mode, drain.then)) add(closing_of(node, drain));
  for (const MaintenanceWindow& window : state.windows) {
    if (window.begun || !leaves_what_is_fixed(window.mode, window.then)) continue;
    for (const NodeId node : window.nodes) add({node, window.from, window.to, window.name});
  }
  std::vector<NodeClosing> all;
  for (auto& [node, closing] : next) all.push_back(std::move(closing));
  return all;
}

void show_closings(ClusterState& state) {
  std::vector<NodeClosing> now = closings(state.core);
  if (now == state.core.view.closings) return;
  state.core.view.closings = std::move(now);
  state.cause().disturbed = true;
}

void on(ClusterState& state, const DrainAnnounced& event) {
  const std::vector<Node>& nodes = state.core.view.nodes;
  if (event.node.raw >= nodes.size() || nodes[event.node.raw].service == NodeService::removed) return;
  if (event.drain)
    state.core.announced[event.node] = *event.drain;
  else
    state.core.announced.erase(event.node);
  show_closings(state);
}

void on(ClusterState& state, const WindowChanged& event) {
  std::vector<MaintenanceWindow>& windows = state.core.windows;
  const auto at = std::ranges::lower_bound(windows, event.window.name, {}, &MaintenanceWindow::name);
  const bool is_known = at != windows.end() && at->name == event.window.name;
  if (event.stage == WindowStage::planned && !is_known) windows.insert(at, event.window);
  if (event.stage == WindowStage::begun && is_known) at->begun = true;
  if (event.stage == WindowStage::over && is_known) windows.erase(at);
  show_closings(state);
}

void on(ClusterState& state, const MessageChanged& event) {
  state.core.message =
      event.text.empty() ? MessageOfTheDay{} : MessageOfTheDay{event.text, event.by, state.now()};
}

std::string fault_of(const MaintenanceWindow& window, std::size_t nodes) {
  if (window.name.empty()) return "a maintenance window has no name";
  const std::string which = "maintenance window " + window.name + ": ";
  if (window.to <= window.from || window.lead < Duration{}) return which + "it ends before it starts";
  for (const NodeId node : window.nodes)
    if (node.raw >= nodes)
      return which + "it is of node " + std::to_string(node.raw) + " of " + std::to_string(nodes);
  return "";
}

}  // namespace aliquot
