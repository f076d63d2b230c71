// Moves of VMs between nodes that agents serve, which do not speak to each other. Both agents hear of a
// move before it begins, so that they can prepare it. Pure: a state for each VM that is moved, and what is
// to be done next.
//
// If the destination has an address for moves (migrate_uri), the source's libvirt sends the VM there while
// it runs; when it has arrived, the destination's agent is asked for it, and caps it for its own node.
//
// Otherwise the VM is saved on its node and restored on the other. Each step says that it is of a move
// (JobSpec::moves): the image is in the spool whatever local saves the nodes have. A VM that was running
// runs again at the end. If it cannot be restored on the destination, it goes back.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "manager/hypervisor/agent/move_record.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"

namespace aliquot::agent {

class AgentMoves {
 public:
  using Key = std::pair<OpId, std::uint32_t>;  // of the action and a task of it
  struct Effects {
    std::function<void(NodeId, Action, std::shared_ptr<const JobSpec>)> perform;
    std::function<void(Key, NodeId, VmQuery)> look;  // answered by found(), or by done() with an error
    // Before the VM is saved: what is left to do then is on disk.
    std::function<Result<void>(const MoveRecord&)> note;
    std::function<void(Key, JobId, std::optional<Error>)> finished;
    // Tells this node, the source or the destination, of the move. It does not answer.
    std::function<void(NodeId, VmMove, std::shared_ptr<const JobSpec>)> prepare;
  };
  explicit AgentMoves(Effects effects) : effects_(std::move(effects)) {}

  // One task of the action. `cap`: the share of its need to which the VM is capped now. `to_uri` as in
  // VmMove.
  void begin(const Migrate& move, std::shared_ptr<const JobSpec> spec, Yield cap, std::string to_uri);
  // One that an earlier start has noted, and whose VM is nothing but its image.
  void resume(const MoveRecord& record);
  [[nodiscard]] bool has(Key key) const { return moves_.contains(key); }
  // The node that its present step is on; none: it is not under way.
  [[nodiscard]] std::optional<NodeId> node_of(Key key) const;
  // Gives up the move of this VM, because it is to be destroyed: returns the key and both nodes.
  struct GivenUp {
    Key key;
    NodeId from;
    NodeId to;
  };
  std::optional<GivenUp> give_up(JobId job, std::uint32_t task);
  // Whether giving up its present step is of use.
  [[nodiscard]] bool can_abort(Key key) const;
  // The outcome of its present step.
  void done(Key key, const std::optional<Error>& error);
  void found(Key key, VmFact fact);
  // The move that looks at this VM now.
  [[nodiscard]] std::optional<Key> looks_at(JobId job, std::uint32_t task) const;

 private:
  enum class Step : std::uint8_t {
    looking,
    looking_there,
    sending,
    arriving,
    capping,
    saving,
    restoring,
    releasing_there,
    going_back,
    releasing,
  };
  struct Move {
    Migrate action;
    std::shared_ptr<const JobSpec> spec;
    Yield cap;
    std::string to_uri{};
    Step step = Step::looking;
    bool was_running = true;
    std::optional<Error> failure{};  // on the other node
    int looks = 0;                   // for the VM that has arrived
  };
  void look(Key key, const Move& move, NodeId node);
  void announce(Key key, const Move& move);
  void save(Key key, Move& move);
  void send(Key key, Move& move);
  void arrived(Key key, Move& move, VmFact fact);
  void restore(Move& move, NodeId node, Step step);
  void release(Move& move, NodeId node, Step step);
  void finish(Key key, std::optional<Error> error);

  const Effects effects_;
  std::map<Key, Move> moves_;
};

}  // namespace aliquot::agent
