#include "monitor/action_parts.hpp"

#include <type_traits>

namespace aliquot {
namespace {

// Of two actions that concern one node each.
struct SameNodes {
  const Action& other;
  template <class A>
  bool operator()(const A& a) const {
    const A& b = std::get<A>(other);
    if constexpr (requires { a.nodes; }) return a.nodes == b.nodes;
    if constexpr (requires { a.from; }) return a.from == b.from && a.to == b.to;
    return true;
  }
};

}  // namespace

std::vector<Action> parts_by_node(const Action& action) {
  std::vector<Action> parts;
  const TaskRun tasks = head(action).tasks;
  for (std::uint32_t task = tasks.first; task < tasks.first + tasks.count; ++task) {
    Action part = for_task(action, task);
    if (!parts.empty() && std::visit(SameNodes{parts.back()}, part))
      std::visit([](auto& last) { ++last.tasks.count; }, parts.back());
    else
      parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace aliquot
