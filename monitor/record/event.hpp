// Everything that happens, as a closed set. The core changes its state by events and by nothing else, so
// the log of events is the history of the cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "monitor/record/submission.hpp"
#include "policies/model/account_terms.hpp"
#include "policies/model/error.hpp"
#include "policies/model/move_terms.hpp"
#include "policies/model/plan.hpp"
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
  IndexSet indices{};  // of an array: its members with these indices, made or not; none: all of it
};
struct HoldChanged {
  JobId job;
  bool held = false;
};
// What a task of the job needs to run at full speed is another amount of CPU from now on.
struct NeedChanged {
  JobId job;
  Cpu need;
  std::string why;  // "uid 1000 has changed its need from 1 to 2 cores"
};
// What a task of the job needs has been learned by watching its VMs (policies/needs): the job is counted
// with this need from now on. What its user has declared stays with it.
struct NeedLearned {
  JobId job;
  Cpu need;
  Cpu used;                      // of a task, as it was watched
  std::uint32_t confidence = 0;  // in hundredths
  std::string why;               // "its tasks use 0.3 cores of 1"
};
// Identifies a change that a guest has announced on its status channel (docs/guest-contract.md).
struct GuestAnnouncement {
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;  // of its VM
  std::uint32_t number = 0;       // from 1
  friend bool operator==(const GuestAnnouncement&, const GuestAnnouncement&) = default;
};
// The job is counted with so much memory of a task from now on, the overhead of its VM included: less than
// its user has declared, and its guests have given the rest back; or all of it again.
struct MemoryLearned {
  JobId job;
  Memory memory;
  Memory used;      // by the guest that uses the most, as it was watched
  std::string why;  // "a task of it uses 60 MiB of the 160 MiB that it declares"
};
// The jobs of these users in these accounts have another weight from now on (policies/fairness). Those that
// are not named keep theirs.
struct UserWeight {
  std::string account;
  std::uint32_t uid = 0;
  Weight weight;
  friend bool operator==(const UserWeight&, const UserWeight&) = default;
};
struct WeightsChanged {
  std::vector<UserWeight> weights;
};
// All accounts with shares or limits, as the configuration and operators have them.
struct AccountsChanged {
  std::vector<AccountTerms> accounts;
};
// An account, or a user in an account and those below it, that has been served the core-hours of its limit.
struct ServedCoreHours {
  std::string account;
  std::optional<std::uint32_t> uid{};  // none: all of the account
  std::int64_t core_hours = 0;
  friend bool operator==(const ServedCoreHours&, const ServedCoreHours&) = default;
};
// All of them. Those that are not named have not been served so much, or not any more: use decays.
struct CoreHoursServed {
  std::vector<ServedCoreHours> reached;
};
// What the configuration says of moves has changed.
struct MoveTermsChanged {
  MoveTerms terms;
};
// The job is to have so many tasks that have not ended, from `at` on; at once if that is past.
struct TasksChanged {
  JobId job;
  std::uint32_t tasks = 1;
  Instant at;
  std::string why;         // "uid 1000 has asked for it", "step 2 of its profile"
  std::uint32_t step = 0;  // of its profile, the first being 1; 0: its user or its guest has asked for it
  bool is_due = false;     // it was announced, and its time has come
  std::optional<GuestAnnouncement> guest{};  // that asked for it; what was heard before has no effect
};
// Room has been found for more tasks of a job that runs: so many more on each of these nodes.
struct TasksAdded {
  JobId job;
  Placement more;
};
// A guest has announced what its job may not have. It has no other effect than that the job remembers it.
struct AnnouncementRefused {
  JobId job;
  GuestAnnouncement guest;  // what was refused before is not refused again
  std::uint32_t tasks = 1;  // that the job was to have
  Instant at;               // from when on
  std::string why;          // and what the job may have
};
// The VMs of these tasks powered off (or vanished: no exit code). Only the first such event of a task and
// incarnation counts.
struct TaskEnded {
  JobId job;
  TaskRun tasks;
  std::uint32_t incarnation = 0;
  std::optional<int> exit_code;
  std::string note;             // what is known when there is no exit code, or the guest's own last word
  std::uint32_t oom_kills = 0;  // processes that the guest's kernel ended because memory ran out
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
  std::uint32_t oom_kills = 0;   // for ended, as in TaskEnded
};
// Whether a node answers (up, suspect), or has not answered for too long (down).
struct NodeChanged {
  NodeId node;
  NodeState state = NodeState::up;
  std::string why;
  // Only if its silence began then; none: in any case.
  std::optional<Instant> silent_since{};
  // Of a fenced node that answers again: no VM of an earlier time is left on it.
  bool cleared = false;
};
// A node that does not answer is off: its VMs are gone.
struct NodeFenced {
  NodeId node;
  std::string by;   // "uid 0", "the fence command"
  std::string why;  // may be empty
};
// A node goes off, is off, boots, or has booted and answers (on). What its power does not allow is ignored:
// only a node that answers and holds nothing goes off.
struct PowerChanged {
  NodeId node;
  NodePower power = NodePower::on;
  std::string why;
};
// What becomes of the jobs of a node that is draining.
enum class DrainMode : std::uint8_t {
  migrate,  // they are moved while they run, when there is room elsewhere
  save,     // they are saved, and go on elsewhere
  requeue,  // they start anew from the beginning, elsewhere
  wait,     // they run to their ends
};
// What becomes of the jobs that are left at the deadline of a drain.
enum class AfterDeadline : std::uint8_t {
  save,     // they are saved, if they can be
  requeue,  // they start anew from the beginning
  stay,     // as without a deadline
};
// What has been reported of a drain.
enum class DrainProgress : std::uint8_t { under_way, overdue, emptied };
struct Drain {
  DrainMode mode = DrainMode::migrate;
  std::optional<Instant> deadline;
  Instant since;
  std::string by;  // "uid 0"
  AfterDeadline then = AfterDeadline::save;
  DrainProgress progress = DrainProgress::under_way;
  std::string window{};  // the maintenance window that it is for; empty: an operator drains the node
  friend bool operator==(const Drain&, const Drain&) = default;
};
// What operators want of a node.
struct ServiceChanged {
  NodeId node;
  NodeService service = NodeService::in_service;
  std::optional<Drain> drain;  // of a node that is draining
  // A maintenance window puts the node back into service: only if it is drained for that window.
  std::string window{};
  bool is_due = false;  // it was planned, and its time has come
};
// A drain that is to begin at `since`, in place of one that was announced before; none: that is withdrawn.
struct DrainAnnounced {
  NodeId node;
  std::optional<Drain> drain;
};
// Nodes that are to be empty from one time to another.
struct MaintenanceWindow {
  std::string name;
  std::vector<NodeId> nodes;
  Instant from;
  Instant to;
  Duration lead{};  // so long before, its nodes are drained; after half of it the drain's deadline is past
  DrainMode mode = DrainMode::migrate;
  AfterDeadline then = AfterDeadline::save;
  std::string by{};    // "uid 0"
  bool begun = false;  // its nodes are drained, but for those that operators drain themselves
  friend bool operator==(const MaintenanceWindow&, const MaintenanceWindow&) = default;
};
enum class WindowStage : std::uint8_t {
  planned,
  begun,  // its nodes are drained from now on
  over,   // it has ended, or was removed
};
struct WindowChanged {
  MaintenanceWindow window;
  WindowStage stage = WindowStage::planned;
  std::string why{};    // of its end: "its end has come", "uid 0 has removed it"
  bool is_due = false;  // its time has come
};
// What all users are to read: the message of the day.
struct MessageChanged {
  std::string text;  // empty: there is none any more
  std::uint32_t by = 0;
};
// A drain has emptied its node, or its deadline has passed and something is left. Either is said once; it
// has no other effect.
struct DrainReported {
  NodeId node;
  DrainProgress progress = DrainProgress::emptied;
  Duration took;     // since the drain began
  std::string left;  // "job 7 (stay): it is not movable (movable: false)"; empty if the node is
};
// The job is taken off its nodes: it goes on elsewhere, or starts anew.
struct Displaced {
  JobId job;
  bool anew = false;
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
// Another program did this to a VM on `node`, and the node has confirmed it. The manager follows a move,
// ends a pause and sets the cap again.
struct ForeignMove {
  JobId job;
  std::uint32_t task = 0;
  NodeId node;
  std::string what;
  ForeignAct act = ForeignAct::other;
};
// The number of VMs on the node that belong to no job has changed, or what they hold.
struct OthersChanged {
  NodeId node;
  OtherVms others;
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
// An operator has applied a saved plan: these changes are made in place of a decision of the policy, in
// every mode, if they break no law.
struct PlanApplied {
  std::vector<Change> changes;  // as Plan::changes
  std::uint32_t by = 0;         // the uid of the operator
};
// A node that has another name from now on; it keeps its number, and its jobs.
struct NodeRenamed {
  std::string from;
  std::string to;
};
// The nodes as the configuration and their own facts have them, by name: said at every start, and again
// when a node has told its size. The state of a known node stays as it is. Nodes that are not named any
// more are removed. Renames come first.
struct Configured {
  std::vector<Node> nodes;
  std::vector<std::string> device_models{};  // what the models of these nodes' devices are numbered by
  std::vector<NodeRenamed> renamed{};
};
// The manager was dead: nodes have to answer anew, and of every VM it is to be asked what became of it.
struct Restarted {
  std::uint64_t epoch = 0;
};
struct Tick {};
struct Woken {};
// Time limits and stalled retries are looked at again.
struct TimerExpired {};

// In the order in which events of one instant are taken: what frees resources comes before what asks.
using Event =
    std::variant<Configured, Restarted, TaskEnded, Cancelled, Outcome, Inspected, NodeChanged, NodeFenced,
                 PowerChanged, ServiceChanged, Displaced, ForeignMove, OthersChanged, PolicyChanged,
                 ModeChanged, Submitted, HoldChanged, NeedChanged, TasksChanged, TasksAdded, TimerExpired,
                 Woken, Tick, AnnouncementRefused, NeedLearned, MemoryLearned, DrainReported, PlanApplied,
                 WeightsChanged, AccountsChanged, CoreHoursServed, DrainAnnounced, WindowChanged,
                 MessageChanged, MoveTermsChanged>;

}  // namespace aliquot
