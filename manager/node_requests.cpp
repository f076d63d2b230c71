#include "manager/node_requests.hpp"

#include <algorithm>
#include <utility>

#include "manager/api/answers/node_answers.hpp"
#include "manager/core/drain.hpp"
#include "manager/start_terms.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kDrainTries = 20;  // decisions for the answer to a drain

std::vector<DrainRow> drain_rows(const Scheduler& scheduler, NodeId node, const Drain& drain, Instant now) {
  std::vector<DrainRow> rows;
  for (DrainStep& step :
       drain_steps(scheduler.cluster().view(), scheduler.policy(), node, drain, now, kDrainTries))
    rows.push_back({step.job, std::string(word(step.turn)), std::move(step.why)});
  return rows;
}

std::string by(const NodeSituation& now) { return "uid " + std::to_string(now.uid); }

Result<NodeChange> change(NodeId id, const NodeConfirmDown& request, const NodeSituation& now) {
  const CoreState& state = now.scheduler.cluster().state();
  const bool back = std::ranges::any_of(now.coming, [id](const Event& event) {
    const auto* changed = std::get_if<NodeChanged>(&event);
    return changed && changed->node == id && changed->state == NodeState::up;
  });
  if (auto ok = can_confirm_down(state, id, back || now.held_by_other(id)); !ok)
    return tl::unexpected<Error>(ok.error());
  NodeChange done{{}, confirm_down_answer(state, id, request.dry_run, now.sight)};
  if (!request.dry_run) done.events.emplace_back(NodeFenced{id, by(now), request.why});
  return done;
}

bool drained_by_operator(const CoreState& state, NodeId node) {
  const auto known = state.node_records.find(node);
  return known != state.node_records.end() && known->second.drain && known->second.drain->window.empty();
}

Result<NodeChange> change(NodeId id, const NodeDrain& request, const NodeSituation& now) {
  const CoreState& state = now.scheduler.cluster().state();
  if (state.view.nodes[id.raw].service == NodeService::removed)
    return fail(ErrorKind::conflict, "node " + request.node + " was removed from the configuration");
  const bool is_later = request.at_unix_us.has_value();
  const Instant begins = is_later ? instant_of(*request.at_unix_us, now.clock) : now.clock.now;
  if (is_later && drained_by_operator(state, id))
    return fail(ErrorKind::conflict, "node " + request.node + " is being drained already; resume it first");
  Drain drain{request.mode, {}, begins, by(now), request.then};
  if (request.within) drain.deadline = begins + *request.within;
  const std::vector<DrainRow> rows = drain_rows(now.scheduler, id, drain, now.clock.now);
  NodeChange done{{}, drain_answer(state, id, drain, rows, request.dry_run, now.clock, now.sight)};
  if (request.dry_run) return done;
  if (is_later)
    done.events.emplace_back(DrainAnnounced{id, drain});
  else
    done.events.emplace_back(ServiceChanged{id, NodeService::draining, drain});
  return done;
}

Result<NodeChange> change(NodeId id, const NodeResume& request, const NodeSituation& now) {
  const CoreState& state = now.scheduler.cluster().state();
  const bool is_drained = state.view.nodes[id.raw].service == NodeService::draining;
  if (!is_drained && state.announced.contains(id))
    return NodeChange{{DrainAnnounced{id, {}}}, resumed_answer(request.node)};
  if (!is_drained) return fail(ErrorKind::conflict, "node " + request.node + " is not being drained");
  return NodeChange{{ServiceChanged{id, NodeService::in_service, {}}}, resumed_answer(request.node)};
}

}  // namespace

std::vector<DrainRow> rows_of_drained(const Scheduler& scheduler, const std::string& name) {
  const CoreState& state = scheduler.cluster().state();
  const auto node = node_named(state, name);
  const auto known = state.node_records.find(node.value_or(NodeId{}));
  if (!node || known == state.node_records.end() || !known->second.drain) return {};
  return drain_rows(scheduler, *node, *known->second.drain, state.view.now);
}

Result<NodeChange> change_of_node(const Request& request, const NodeSituation& now) {
  return std::visit(
      [&now]<class R>(const R& asked) -> Result<NodeChange> {
        if constexpr (changes_a_node<R>) {
          const auto node = node_named(now.scheduler.cluster().state(), asked.node);
          if (!node) return tl::unexpected<Error>(node.error());
          return change(*node, asked, now);
        } else {
          return fail(ErrorKind::internal, "this request changes no node");
        }
      },
      request);
}

}  // namespace aliquot
