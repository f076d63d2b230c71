#include "manager/maintenance_requests.hpp"

#include <algorithm>
#include <utility>

#include "manager/api/answers/maintenance_answers.hpp"
#include "manager/api/answers/node_answers.hpp"
#include "manager/core/maintenance_windows.hpp"
#include "manager/start_terms.hpp"

namespace aliquot {
namespace {

using Answered = OperatorCommands::Answered;
using Answer = OperatorCommands::Answer;

const CoreState& state_of(const MaintenanceSituation& now) { return now.scheduler.cluster().state(); }

std::string by(const MaintenanceSituation& now) { return "uid " + std::to_string(now.uid); }

// The windows as they are in force, or will be with the next step.
std::vector<MaintenanceWindow> windows(const MaintenanceSituation& now) {
  std::vector<MaintenanceWindow> all = state_of(now).windows;
  for (const Event& event : now.input.events) {
    const auto* changed = std::get_if<WindowChanged>(&event);
    if (!changed) continue;
    std::erase_if(all, [&](const MaintenanceWindow& each) { return each.name == changed->window.name; });
    if (changed->stage != WindowStage::over) all.push_back(changed->window);
  }
  return all;
}

Result<std::vector<NodeId>> nodes_named(const CoreState& state, const std::vector<std::string>& names) {
  std::vector<NodeId> nodes;
  for (const std::string& name : names) {
    const auto node = node_named(state, name);
    if (!node) return tl::unexpected<Error>(node.error());
    if (state.view.nodes[node->raw].service == NodeService::removed)
      return fail(ErrorKind::conflict, "node " + name + " was removed from the configuration");
    if (std::ranges::find(nodes, *node) == nodes.end()) nodes.push_back(*node);
  }
  std::ranges::sort(nodes);
  return nodes;
}

// Two windows would both put the node back.
Result<void> check_overlap(const CoreState& state, const MaintenanceWindow& window,
                           const std::vector<MaintenanceWindow>& others) {
  for (const MaintenanceWindow& other : others) {
    if (other.name == window.name)
      return fail(ErrorKind::conflict, "there is a maintenance window " + window.name +
                                           " already; take another name, or `aliquot maintenance remove " +
                                           window.name + "` first");
    if (window.to <= drained_from(other) || other.to <= drained_from(window)) continue;
    for (const NodeId node : window.nodes)
      if (std::ranges::find(other.nodes, node) != other.nodes.end())
        return fail(ErrorKind::conflict, "maintenance window " + other.name + " has node " +
                                             state.view.nodes[node.raw].name +
                                             " at that time, its drain included; choose another time, or "
                                             "leave the node out");
  }
  return {};
}

Answered change(const MaintenanceAdd& request, const MaintenanceSituation& now) {
  const std::int64_t present_us = now.clock.calendar.unix_us(now.clock.now);
  if (request.to_unix_us <= request.from_unix_us)
    return fail(ErrorKind::invalid_argument, "the window ends before it starts; correct --from or --to");
  if (request.to_unix_us <= present_us)
    return fail(ErrorKind::invalid_argument, "the window is over already; correct --to");
  auto nodes = nodes_named(state_of(now), request.nodes);
  if (!nodes) return tl::unexpected<Error>(nodes.error());
  MaintenanceWindow window;
  window.name = request.name;
  window.nodes = std::move(*nodes);
  window.from = instant_of(request.from_unix_us, now.clock);
  window.to = instant_of(request.to_unix_us, now.clock);
  // If it starts sooner, its nodes are drained at once, in the time that is left.
  window.lead = std::min(request.lead, window.from - now.clock.now);
  window.mode = request.mode;
  window.then = request.then;
  window.by = by(now);
  const std::vector<MaintenanceWindow> others = windows(now);
  if (auto free = check_overlap(state_of(now), window, others); !free)
    return tl::unexpected<Error>(free.error());
  if (others.size() >= kMostWindows)
    return fail(ErrorKind::refused, "there are " + std::to_string(others.size()) +
                                        " maintenance windows, and no more are kept; remove one");
  std::string body = window_answer(state_of(now), window, request.dry_run, now.clock);
  if (request.dry_run) return Answer{std::move(body)};
  return Answer{std::move(body), true, {WindowChanged{std::move(window), WindowStage::planned, ""}}};
}

Answered change(const MaintenanceList&, const MaintenanceSituation& now) {
  return Answer{window_list_answer(state_of(now), now.clock)};
}

Answered change(const MaintenanceRemove& request, const MaintenanceSituation& now) {
  const CoreState& state = state_of(now);
  const MaintenanceWindow* const window = window_named(state, request.name);
  if (window == nullptr) return tl::unexpected<Error>(no_such_window(state, request.name));
  std::vector<Event> events = end_of_window(state, *window, by(now) + " has removed it");
  std::vector<NodeId> back;
  for (const Event& event : events)
    if (const auto* service = std::get_if<ServiceChanged>(&event)) back.push_back(service->node);
  return Answer{window_removed_answer(state, request.name, back), true, std::move(events)};
}

Answered change(const MotdSet& request, const MaintenanceSituation& now) {
  const MessageOfTheDay message{request.text, now.uid, now.clock.now};
  return Answer{motd_answer(message, now.clock), true, {MessageChanged{request.text, now.uid}}};
}

Answered change(const MotdShow&, const MaintenanceSituation& now) {
  return Answer{motd_answer(state_of(now).message, now.clock)};
}

Answered change(const MotdClear&, const MaintenanceSituation& now) {
  return Answer{motd_answer({}, now.clock), true, {MessageChanged{"", now.uid}}};
}

}  // namespace

Answered maintenance_change(const Request& request, const MaintenanceSituation& now) {
  return std::visit(
      [&now]<class R>(const R& asked) -> Answered {
        if constexpr (MaintenanceRequest<R>)
          return change(asked, now);
        else
          return fail(ErrorKind::internal, "this request plans no maintenance");
      },
      request);
}

}  // namespace aliquot
