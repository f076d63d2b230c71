// What operators do to nodes, from the request to the events of the next step and the answer. Changes
// nothing itself; belongs to the loop.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/node_answers.hpp"
#include "manager/api/answers/sight.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/core/scheduler.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

template <class R>
inline constexpr bool changes_a_node =
    std::is_same_v<R, NodeConfirmDown> || std::is_same_v<R, NodeDrain> || std::is_same_v<R, NodeResume>;

// What is known when the request is carried out.
struct NodeSituation {
  const Scheduler& scheduler;
  const std::vector<Event>& coming;  // the events of the next step so far
  const std::function<bool(NodeId)>& held_by_other;
  AnswerClock clock;
  std::uint32_t uid = 0;  // of the operator
  Sight sight;
};

struct NodeChange {
  std::vector<Event> events;  // none: the answer is all, as of a dry run
  std::string body;
};

// What becomes of the jobs of this node; none if it is not drained.
[[nodiscard]] std::vector<DrainRow> rows_of_drained(const Scheduler& scheduler, const std::string& node);

// `request` is one of those that change a node. Error: there is no such node, or it is in another state.
[[nodiscard]] Result<NodeChange> change_of_node(const Request& request, const NodeSituation& now);

}  // namespace aliquot
