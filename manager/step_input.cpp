#include "manager/step_input.hpp"

#include <tuple>
#include <type_traits>
#include <utility>

namespace aliquot {
namespace {

// What the event is about, if a later event about the same makes it superfluous; else nothing.
template <class E>
auto subject(const E& event) {
  if constexpr (std::is_same_v<E, Cancelled>)
    return std::tuple(event.job);
  else if constexpr (std::is_same_v<E, Inspected>)
    return std::tuple(event.job, event.task, event.incarnation);
  else if constexpr (std::is_same_v<E, ForeignMove>)
    return std::tuple(event.job, event.task, event.node, event.act);
  else if constexpr (std::is_same_v<E, OthersChanged>)
    return std::tuple(event.node);
  else
    return std::tuple<>();
}

// Does the second event alone leave the core in the state in which both would?
bool says_it_again(const Event& before, const Event& now) {
  return std::visit(
      [&before]<class E>(const E& event) {
        using Subject = decltype(subject(event));
        constexpr bool can = !std::is_same_v<Subject, std::tuple<>>;
        const E* const same = std::get_if<E>(&before);
        return can && same != nullptr && subject(*same) == subject(event);
      },
      now);
}

// Says only whether a node answers, and not what became of its VMs.
const NodeChanged* plain_change(const Event& event, NodeId node) {
  const auto* changed = std::get_if<NodeChanged>(&event);
  const bool is_plain = changed != nullptr && !changed->cleared && !changed->silent_since;
  return is_plain && changed->node == node ? changed : nullptr;
}

// Of a node that comes and goes, the last two changes say all: the state before the last one, and whether
// anything may have happened to its VMs meanwhile.
void forget_older_changes(std::vector<Event>& events, NodeId node) {
  std::size_t newer = 0;
  for (auto event = events.end(); event != events.begin();)
    if (plain_change(*--event, node) != nullptr && ++newer > 2) event = events.erase(event);
}

}  // namespace

void StepInput::add(Event event) {
  if (blocked) std::erase_if(events, [&](const Event& before) { return says_it_again(before, event); });
  events.push_back(std::move(event));
  if (!blocked) return;
  if (const auto* changed = std::get_if<NodeChanged>(&events.back()))
    forget_older_changes(events, changed->node);
}

}  // namespace aliquot
