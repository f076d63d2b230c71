// VMs that are destroyed wherever they may be, on one node after the other: where the manager believes
// them, and on both sides of a move that was under way. Pure.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"

namespace aliquot::agent {

class AgentDestructions {
 public:
  using Key = std::pair<OpId, std::uint32_t>;  // of the action and a task of it
  struct Effects {
    std::function<void(NodeId, Action, std::shared_ptr<const JobSpec>)> perform;
    std::function<void(Key, JobId, std::optional<Error>)> finished;
  };
  explicit AgentDestructions(Effects effects) : effects_(std::move(effects)) {}

  // One task of the action, on these nodes, at least one.
  void begin(const Destroy& destroy, std::vector<NodeId> nodes, std::shared_ptr<const JobSpec> spec);
  [[nodiscard]] bool has(Key key) const { return under_way_.contains(key); }
  // The outcome on the present node. The first error is the outcome of all; the other nodes are tried too.
  void done(Key key, const std::optional<Error>& error);

 private:
  struct Destruction {
    Destroy action;
    std::vector<NodeId> left;
    std::shared_ptr<const JobSpec> spec;
    std::optional<Error> failure;
  };
  void go_on(Key key);

  const Effects effects_;
  std::map<Key, Destruction> under_way_;
};

}  // namespace aliquot::agent
