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
// One of our VMs was moved, paused or destroyed by another program: reported, never undone.
struct ForeignMove {
  JobId job;
  std::uint32_t task = 0;
  NodeId node;
  std::string what;
};
// `by`: the uid of the operator that commanded it; none: it is what the configuration says.
struct PolicyChanged {
  std::string spec;
  std::optional<std::uint32_t> by{};
};
struct ModeChanged {
  Mode mode = Mode::automatic;
  std::optional<std::uint32_t> by{};
};
// A node that has another name from now on; it keeps its number, and its jobs.
struct NodeRenamed {
  std::string from;
  std::string to;
};
// The nodes as the configuration and their own facts have them, by name: said at every start, and again
// when a node has told its size. Nodes that are not named any more are down. Renames come first.
struct Configured {
  std::vector<Node> nodes;
  std::vector<std::string> device_models{};  // what the models of these nodes' devices are numbered by
  std::vector<NodeRenamed> renamed{};
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
using Event =
    std::variant<Configured, Restarted, TaskEnded, Cancelled, Outcome, Inspected, NodeChanged, ForeignMove,
                 PolicyChanged, ModeChanged, Submitted, HoldChanged, TimerExpired, Woken, Tick>;

}  // namespace aliquot
