// Everything that happens, as a closed set. The core changes its state by events and by nothing else, so
// the log of events is the history of the cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/submission.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

enum class Mode : std::uint8_t {
  off,     // no decisions: what runs goes on, what waits waits
  advise,  // decisions are made and shown, not carried out
  automatic,
};

enum class JobResult : std::uint8_t { completed, failed, cancelled, timed_out };

struct Submitted {
  JobId job;
  Shared<Submission> submission;
};
// The job is to end now, whatever it is doing: its user's or an operator's will, or a limit it broke.
struct Cancelled {
  JobId job;
  JobResult result = JobResult::cancelled;
  std::string why;
};
struct HoldChanged {
  JobId job;
  bool held = false;
};
// The VMs of these tasks powered off (or vanished: no exit code). Only the first such event of a task and
// incarnation counts.
struct TaskEnded {
  JobId job;
  TaskRun tasks;
  std::uint32_t incarnation = 0;
  std::optional<int> exit_code;
  std::string note;  // what is known when there is no exit code, or the guest's own last word
};
// The outcome of an action, for all or some of its tasks.
struct Outcome {
  OpId op;
  JobId job;
  TaskRun tasks;
  std::optional<Error> error;
  Duration took;
  Duration stall;  // the guest makes no progress for this long from now on (the rescheduling penalty)
};
// What an inspection found of one VM: asked for after a restart, a lost connection, an unclear outcome.
enum class VmFact : std::uint8_t { running, paused, saved, ended, absent, unknown };
struct Inspected {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
  VmFact fact = VmFact::unknown;
  NodeId node;                   // for running and paused
  std::optional<int> exit_code;  // for ended
};
struct NodeChanged {
  NodeId node;
  NodeState state = NodeState::up;
  std::string why;
};
// What another program did to one of our VMs.
enum class ForeignAct : std::uint8_t {
  other,  // as events of earlier versions have it
  moved_away,
  moved_here,
  saved,  // to a file of its own
  paused,
  resumed,
  started,
  destroyed,
  stopped,      // by an I/O error
  cap_changed,  // the cap that is in force is not the one that the manager has set
};
// It was done on `node`, and the node has confirmed it. A move is followed, a pause is ended and a cap is
// set again.
struct ForeignMove {
  JobId job;
  std::uint32_t task = 0;
  NodeId node;
  std::string what;
  ForeignAct act = ForeignAct::other;
};
// The VMs on a node that belong to no job are now these, or hold now so much.
struct OthersChanged {
  NodeId node;
  OtherVms others;
};
struct PolicyChanged {
  std::string spec;
};
struct ModeChanged {
  Mode mode = Mode::automatic;
};
// The nodes as the configuration and their own facts have them, by name: said at every start, and again
// when a node has told its size. Nodes that are not named any more are down.
struct Configured {
  std::vector<Node> nodes;
  std::vector<std::string> device_models{};  // what the models of these nodes' devices are numbered by
};
// The manager was dead: of every VM it is to be asked what became of it.
struct Restarted {
  std::uint64_t epoch = 0;
};
struct Tick {};
struct Woken {};
// Time limits and stalled retries are looked at again.
struct TimerExpired {};

// In the order in which events of one instant are taken: what frees resources comes before what asks.
using Event = std::variant<Configured, Restarted, TaskEnded, Cancelled, Outcome, Inspected, NodeChanged,
                           ForeignMove, OthersChanged, PolicyChanged, ModeChanged, Submitted, HoldChanged,
                           TimerExpired, Woken, Tick>;

}  // namespace aliquot
