#include "manager/api/explain/plan_actions.hpp"

#include "manager/core/diff.hpp"
#include "monitor/action_parts.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kMostRounds = 50;
constexpr std::size_t kMostActions = 1000;

bool moves_memory(ActionKind kind) {
  return kind == ActionKind::save || kind == ActionKind::restore || kind == ActionKind::migrate;
}

PlannedAction priced(const CoreState& state, std::uint32_t round, const Action& action) {
  PlannedAction priced{round, action, {}, {}};
  const auto job = state.view.jobs.find(head(action).job);
  if (job == state.view.jobs.end()) return priced;
  if (moves_memory(kind(action))) priced.bytes = job->second.demand.memory * head(action).tasks.count;
  if (kind(action) == ActionKind::restore || kind(action) == ActionKind::migrate)
    priced.stall = state.view.costs.restart;
  return priced;
}

}  // namespace

std::vector<Event> land_flights(const CoreState& state) {
  std::vector<Event> events;
  for (const auto& [id, record] : state.records)
    for (std::uint32_t task = 0; task < record.vms.size(); ++task)
      if (const auto& flight = record.vms[task].flight)
        events.emplace_back(Outcome{flight->op, id, {task, 1}, {}, {}, {}});
  return events;
}

PlannedActions planned_actions(const CoreState& state, const Plan& plan) {
  Cluster cluster(state);
  cluster.apply(land_flights(state));  // before the first action of the plan
  cluster.adopt(plan);
  PlannedActions found;
  DiffStorage storage;
  for (std::uint32_t round = 1; round <= kMostRounds; ++round) {
    const std::vector<Action> actions = diff(cluster, storage);
    found.complete = actions.empty();
    if (actions.empty()) break;
    cluster.issue(actions);
    std::vector<Event> outcomes;
    for (const Action& action : actions) {
      if (found.actions.size() >= kMostActions) {
        found.more = true;
        return found;
      }
      for (const Action& part : parts_by_node(action))
        found.actions.push_back(priced(cluster.state(), round, part));
      outcomes.emplace_back(Outcome{head(action).op, head(action).job, head(action).tasks, {}, {}, {}});
    }
    cluster.apply(outcomes);
  }
  return found;
}

}  // namespace aliquot
