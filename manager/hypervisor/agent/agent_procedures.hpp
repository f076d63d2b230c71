// Actions that take several steps, perhaps on several nodes: moves, destructions and checkpoints. Belongs
// to the loop of AgentHypervisor.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manager/background_tasks.hpp"
#include "manager/hypervisor/agent/agent_checkpoints.hpp"
#include "manager/hypervisor/agent/agent_destructions.hpp"
#include "manager/hypervisor/agent/agent_moves.hpp"
#include "manager/hypervisor/agent/cap_memory.hpp"
#include "manager/hypervisor/spool.hpp"

namespace aliquot::agent {

enum class Presence : std::uint8_t { unknown, off, known };

class AgentProcedures {
 public:
  using Clock = std::chrono::steady_clock;
  using Key = std::pair<OpId, std::uint32_t>;  // of the action and a task of it
  using Perform = std::function<void(NodeId, Action, std::shared_ptr<const JobSpec>)>;
  struct Effects {
    Perform perform;                                 // a step, answered by done()
    std::function<void(Key, NodeId, VmQuery)> look;  // answered by found(), or by done() with an error
    std::function<void(Key)> withdraw;               // the step that has been asked for
    std::function<void(const Outcome&)> finished;    // of one task of an action
    std::function<void(const Inspected&)> report;    // to the manager
    std::function<void(const VmQuery&)> inspect;     // again
    std::function<Presence(NodeId)> presence;
    std::function<void(NodeId, VmMove, std::shared_ptr<const JobSpec>)> prepare;  // as in AgentMoves
    std::function<std::string(NodeId)> move_address;  // its migrate_uri; empty: it has none
  };
  // `inbox`: the loop's, whose continuations it runs.
  AgentProcedures(Spool spool, Inbox& inbox, Effects effects);

  // Every action comes by. Whether it is one of several steps, which has begun.
  bool begin(const Action& action, const std::shared_ptr<const JobSpec>& spec);
  // The outcome of the present step belongs to a procedure.
  [[nodiscard]] bool has(Key key) const;
  void done(Key key, std::optional<Error> error);
  // Whether a move has waited for this fact.
  bool found(NodeId node, const Inspected& fact);
  // A VM that is nothing but the image of a move is restored before the manager hears of it. One that no
  // node has is not lost if it is in the local saves of a node that was not asked.
  void answer(const VmQuery& query, const Inspected& answer);
  void forget(JobId job) { caps_.forget(job); }

 private:
  void move(const Migrate& move, const std::shared_ptr<const JobSpec>& spec);
  void move_finished(Key key, JobId job, std::optional<Error> error);
  [[nodiscard]] Inspected unless_kept(const VmQuery& query, Inspected answer) const;
  void destroy(const Destroy& destroy, const std::shared_ptr<const JobSpec>& spec);
  void destroy(const Destroy& one, std::uint32_t task, const std::shared_ptr<const JobSpec>& spec);
  void abort(const Abort& abort, const std::shared_ptr<const JobSpec>& spec);
  void seal(const Checkpoint& checkpoint, const JobSpec& spec, std::vector<std::uint32_t> tasks);
  void finish(Key key, JobId job, std::optional<Error> error, Duration took = {});

  const Spool spool_;
  const Effects effects_;
  std::map<Key, Clock::time_point> moves_begun_;
  std::map<Key, VmQuery> resumed_;  // moves of an earlier start, and the questions after their VMs
  CapMemory caps_;
  AgentMoves moves_;
  AgentDestructions destructions_;
  AgentCheckpoints checkpoints_;
  BackgroundTasks tasks_;  // last: it ends before all that its tasks refer to
};

}  // namespace aliquot::agent
