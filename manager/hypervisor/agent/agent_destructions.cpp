#include "manager/hypervisor/agent/agent_destructions.hpp"

namespace aliquot::agent {

void AgentDestructions::begin(const Destroy& destroy, std::vector<NodeId> nodes,
                              std::shared_ptr<const JobSpec> spec) {
  const Key key{destroy.op, destroy.tasks.first};
  under_way_[key] = {destroy, std::move(nodes), std::move(spec), std::nullopt};
  go_on(key);
}

void AgentDestructions::go_on(Key key) {
  Destruction& destruction = under_way_.at(key);
  const NodeId node = destruction.left.back();
  destruction.left.pop_back();
  // Not through `destruction` from here on: an outcome that comes at once may end it.
  const Destroy there{destruction.action, node};
  const auto spec = destruction.spec;
  effects_.perform(node, there, spec);
}

void AgentDestructions::done(Key key, const std::optional<Error>& error) {
  const auto found = under_way_.find(key);
  if (found == under_way_.end()) return;
  Destruction& destruction = found->second;
  if (!destruction.failure) destruction.failure = error;
  if (!destruction.left.empty()) return go_on(key);
  const JobId job = destruction.action.job;
  const std::optional<Error> failure = std::move(destruction.failure);
  under_way_.erase(found);
  effects_.finished(key, job, failure);
}

}  // namespace aliquot::agent
