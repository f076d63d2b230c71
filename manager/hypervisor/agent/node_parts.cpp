#include "manager/hypervisor/agent/node_parts.hpp"

#include <variant>

namespace aliquot::agent {

NodeId node_of(const Action& action, const JobSpec& spec, std::uint32_t at) {
  return std::visit(
      [&](const auto& a) {
        if constexpr (requires { a.nodes; }) return a.nodes[at];
        if constexpr (requires { a.from; }) return a.from[at];
        return spec.tasks[a.tasks.first + at].node;
      },
      action);
}

Action part_of(Action action, std::uint32_t first, std::uint32_t count, NodeId node) {
  std::visit(
      [&](auto& a) {
        if constexpr (requires { a.nodes; }) a.nodes = node;
        a.tasks = {first, count};
      },
      action);
  return action;
}

Duration deadline_of(const Action& action, const HypervisorSettings& settings) {
  switch (kind(action)) {
    case ActionKind::cap:
    case ActionKind::suspend:
    case ActionKind::release:
    case ActionKind::abort:
    case ActionKind::notify:
      return settings.fast_deadline;
    default:
      return settings.long_deadline;
  }
}

}  // namespace aliquot::agent
