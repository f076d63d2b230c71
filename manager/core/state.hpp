// The whole state of the core as plain data: what a snapshot stores and recovery starts from.
//
// A job stands in two places. Its Job, in the view, is what policies see: demand, phase, placement and
// yield of the plan in force. Its JobRecord is what the core knows of its VMs. A VM is created paused
// (`ready`); when all VMs of a job are ready they are released together, and run. A paused job has its
// VMs saved.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manager/core/checkpoints.hpp"
#include "manager/core/measured_costs.hpp"
#include "monitor/record/event.hpp"
#include "monitor/record/step.hpp"
#include "monitor/record/submission.hpp"

namespace aliquot {

enum class VmState : std::uint8_t {
  absent,  // not created (again) yet
  ready,   // exists on its node, paused and capped, until its job is released
  running,
  saved,  // its image is in shared storage, or on a node that keeps it; it holds no memory or CPU
  ended,  // its task has ended
};

// An action in flight on one VM: issued, and its outcome is not known.
struct Flight {
  OpId op;
  ActionKind kind = ActionKind::cap;
  NodeId to;    // where the VM will be, for create, restore and migrate
  Yield yield;  // the cap that it will have, for create, restore and cap
  Instant since;
  bool rolls_back = false;  // a restore from the newest checkpoint of its job
  friend bool operator==(const Flight&, const Flight&) = default;
};

// Whether a task is to leave a job that shrinks (size_transitions.hpp).
enum class Leaving : std::uint8_t {
  no,
  asked,  // its guest is to be told
  told,   // its guest has had the notice; at Vm::leave_by its VM is taken
};

struct Vm {
  VmState state = VmState::absent;
  std::uint32_t incarnation = 0;  // counts creations; 0: never created
  NodeId node;                    // where it is (ready, running), or was when it was saved
  std::uint32_t units = 1;        // tasks of its job that it runs; more than one only if grouped
  Yield cap;                      // share of its need, as the hypervisor acknowledged it: 0 or
                                  // above 1 only if the need has changed since
  bool cap_stale = false;         // the cap that the hypervisor really has is not
                                  // known: it is set again
  bool has_run = false;           // was released once, so its memory is worth saving
  bool unclear = false;           // its state is not known: it is inspected before
                                  // anything else is done
  bool rolls_back = false;        // it goes on from a checkpoint of its job and not
                                  // from where it is: destroyed if it exists, restored
  bool missing = false;           // another program took it off its node, and it has
                                  // not been found since: it stays unclear
  bool keeps_place = false;       // it is being paused with the others of its job:
                                  // saved or not, it stays charged to its node
  NodeId wanted;                  // where the plan in force wants it, if its job is to run
  std::optional<Flight> flight;
  std::uint32_t failures = 0;    // of actions in a row
  Instant not_before;            // back-off after a failure
  std::optional<int> exit_code;  // when ended
  bool joins = false;            // it is to join a job that runs already, and has not run yet: the job
                                 // makes progress without it
  Leaving leaving = Leaving::no;
  Instant leave_by{};
  bool to_warn = false;  // its guest is to be told that a limit of its job is near
  friend bool operator==(const Vm&, const Vm&) = default;
};

// A number of tasks that the job is to have later.
struct AnnouncedTasks {
  Instant at;
  std::uint32_t tasks = 1;
  std::string why;
  friend bool operator==(const AnnouncedTasks&, const AnnouncedTasks&) = default;
};

// What a guest announced last of what its job may not have.
struct RefusedAnnouncement {
  std::uint32_t task = 0;
  std::uint32_t tasks = 1;  // that the job was to have
  Instant at;               // from when on
  std::string why;
  friend bool operator==(const RefusedAnnouncement&, const RefusedAnnouncement&) = default;
};

// How the number of tasks of a job changes while it runs.
struct Evolution {
  std::vector<AnnouncedTasks> announced{};   // by increasing instant
  std::uint32_t steps_done = 0;              // later steps of its profile that have been reached
  std::uint32_t growth = 0;                  // tasks for which there was no room yet
  std::string why{};                         // of the growth
  bool by_profile = false;                   // the newest change was a step of its profile
  std::vector<GuestAnnouncement> heard{};    // by task: the newest
  std::vector<GuestAnnouncement> refused{};  // the same of those that were refused
  std::optional<RefusedAnnouncement> newest_refused{};
  // Its number of tasks was to change, or is to. Asked of every job at every event.
  [[nodiscard]] bool any() const {
    return steps_done > 0 || growth > 0 || !announced.empty() || !heard.empty() || !refused.empty();
  }
  friend bool operator==(const Evolution&, const Evolution&) = default;
};

// What was learned last of the need of a job. The need in force is in its demand.
struct LearnedNeed {
  Cpu used;                      // of a task
  std::uint32_t confidence = 0;  // in hundredths
  Instant at;
  friend bool operator==(const LearnedNeed&, const LearnedNeed&) = default;
};

// The limit for which a job waits that has come to its turn: of its account, or of one above it. What was
// used when it was looked at last, and what the job asks for, in the unit of the kind.
struct LimitWait {
  std::string account;
  std::optional<std::uint32_t> uid{};  // the limit is of each user; none: of the account
  LimitKind kind = LimitKind::jobs;
  std::int64_t most = 0;
  std::int64_t used = 0;
  std::int64_t asked = 0;
  std::optional<JobId> behind{};  // it would fit, and waits behind this one, which does not
  friend bool operator==(const LimitWait&, const LimitWait&) = default;
};

// What a job still waits for before it may be placed (deferral.hpp). Until then it is held in the view, so
// that no policy places it or counts its waiting.
struct Deferral {
  std::vector<Dependency> after{};   // those that are not met yet
  bool singleton = false;            // an earlier job of its name and user has not ended
  std::optional<Instant> begin{};    // is yet to come
  bool held = false;                 // its user or an operator holds it besides
  bool limited = false;              // it has not been counted against the limits of its account yet
  std::optional<LimitWait> limit{};  // of `limited`: what was in its way
  [[nodiscard]] bool any() const { return !after.empty() || singleton || begin || limited; }
  // Nothing but the limits of its account are left.
  [[nodiscard]] bool only_limited() const { return limited && after.empty() && !singleton && !begin; }
  friend bool operator==(const Deferral&, const Deferral&) = default;
};

// A member of an array that has not ended.
struct StandingMember {
  std::uint32_t index = 0;
  JobId job;
  friend bool operator==(const StandingMember&, const StandingMember&) = default;
};
// How members of an array have ended; one that was cancelled before it was made counts, too.
struct MemberCounts {
  std::uint32_t completed = 0;
  std::uint32_t failed = 0;
  std::uint32_t cancelled = 0;
  std::uint32_t timed_out = 0;
  [[nodiscard]] std::uint32_t all() const { return completed + failed + cancelled + timed_out; }
  friend bool operator==(const MemberCounts&, const MemberCounts&) = default;
};
// What has become of the members of an array (array_transitions.hpp).
struct ArrayProgress {
  std::uint32_t reached = 0;  // so many of its indices are past: made, or cancelled before
  std::vector<StandingMember> standing{};
  IndexSet cancelled{};  // of the others, those of which no member is to be made
  MemberCounts ended{};
  bool held = false;     // no members are made until it is released
  bool stopped = false;  // it was cancelled as a whole, and ends with its last member
  friend bool operator==(const ArrayProgress&, const ArrayProgress&) = default;
};

// How long a job whose VMs have been moved stays where it is (moves.hpp).
struct CoolDown {
  std::uint32_t moves = 0;  // in a row: each soon after the cool-down of the one before
  Instant until{};          // of the newest
  friend bool operator==(const CoolDown&, const CoolDown&) = default;
};

struct JobRecord {
  Shared<Submission> submission;
  // By task number. A grouped job (policies/model/job.hpp) has one VM for each node of its placement;
  // before it is placed, one VM stands for all of it.
  std::vector<Vm> vms;
  // Cancelled, failed or timed out: the job has left view.jobs and is kept here while its VMs are
  // destroyed. No policy sees it any more.
  std::optional<Job> leaving;
  JobResult result = JobResult::completed;
  std::string note;                    // why it leaves, or is held, or what failed
  std::optional<ErrorKind> failure{};  // of its newest failed action, until its actions succeed again
  std::optional<Instant> started;      // first release
  std::uint32_t preemptions = 0;
  std::uint32_t migrations = 0;
  Memory preempted;
  Memory migrated;
  std::vector<DeviceSet> devices{};  // by VM: slots of its node; empty if the
                                     // job asks for no devices
  std::uint32_t reruns = 0;          // how often it has started anew
  // It leaves only to start anew: when its VMs are gone, it waits again as if just submitted.
  bool starts_anew = false;
  // A node of its VMs does not answer since silence->since: its progress when that began. While it lasts,
  // the job makes no progress that is known.
  std::optional<Progress> silence{};
  // Of a job that is paused together (pause_together.hpp): how many attempts in a row have failed, and when
  // the next may begin. kNever: all its VMs are to run again first.
  std::uint32_t failed_pauses = 0;
  Instant pause_again{};
  Evolution evolution{};
  std::optional<LearnedNeed> learned{};  // none: nothing since its user has declared its need
  Deferral deferral{};
  std::optional<ArrayProgress> array{};  // of an array only
  bool warned = false;                   // its guests have been, or are to be, told that a limit is near
  CoolDown cool_down{};
};

// The task goes on: it has not ended, and is not to leave.
[[nodiscard]] inline bool stays(const Vm& vm) {
  return vm.state != VmState::ended && vm.leaving == Leaving::no;
}
// It has left its job, which has shrunk: the others are not told of it any more.
[[nodiscard]] inline bool has_left(const Vm& vm) {
  return vm.state == VmState::ended && vm.leaving != Leaving::no;
}
// A live migration of it is under way.
[[nodiscard]] inline bool migrates(const Vm& vm) {
  return vm.flight && vm.flight->kind == ActionKind::migrate;
}
[[nodiscard]] inline bool any_migrates(const JobRecord& record) {
  return std::ranges::any_of(record.vms, migrates);
}

// The tasks that the job has or waits for, without those that leave.
[[nodiscard]] inline std::uint32_t wanted_tasks(const JobRecord& record) {
  return static_cast<std::uint32_t>(std::ranges::count_if(record.vms, stays)) + record.evolution.growth;
}

[[nodiscard]] inline bool answers(const ClusterView& view, NodeId node) {
  return view.nodes[node.raw].answers();
}
// All nodes answer and are in service. False also if the view has no index.
[[nodiscard]] inline bool all_up(const ClusterView& view) {
  return view.index.kept() && view.index.usable_count() == view.nodes.size() && view.index.all_answer();
}

// The VM is saved, or is being saved, on a node that keeps what it saves. A checkpoint is in shared
// storage.
[[nodiscard]] inline bool restores_only_here(const ClusterView& view, const Vm& vm) {
  const bool saves = vm.flight && vm.flight->kind == ActionKind::save;
  return (vm.state == VmState::saved || saves) && !vm.rolls_back && view.nodes[vm.node.raw].keeps_saves;
}

[[nodiscard]] inline std::uint32_t vm_count(const JobRecord& record) {
  return static_cast<std::uint32_t>(record.vms.size());
}

// Where the policy or the mode in force comes from. What a command has set stays in force until it is
// reset; without one the configuration rules.
struct SettingOrigin {
  std::optional<std::uint32_t> by;  // the uid of the operator that set it; none: the configuration
  Instant since;
  friend bool operator==(const SettingOrigin&, const SettingOrigin&) = default;
};

// What is known of a node beside what policies see.
struct NodeRecord {
  Instant since;           // of its state; from suspect to fenced: since when it has not answered
  std::string why;         // of its state
  bool returning = false;  // it is fenced and answers again: its old VMs are to be removed first
  std::optional<Drain> drain{};
  Instant power_since{};  // of its power; 0: it was on from the beginning
  std::string power_why{};
  friend bool operator==(const NodeRecord&, const NodeRecord&) = default;
};

struct MessageOfTheDay {
  std::string text;
  std::uint32_t by = 0;  // the uid of the operator that set it
  Instant since;
  friend bool operator==(const MessageOfTheDay&, const MessageOfTheDay&) = default;
};

struct CoreState {
  ClusterView view;
  IdTable<JobId, JobRecord> records;          // of the jobs in view.jobs and of those that are leaving
  std::map<JobId, Checkpoints> checkpoints;   // of the jobs in view.jobs that are to have some
  std::map<NodeId, NodeRecord> node_records;  // of nodes with something to say
  Mode mode = Mode::automatic;
  std::string policy;  // canonical spec
  SettingOrigin policy_origin;
  SettingOrigin mode_origin;
  Instant tick_base;               // ticks are multiples of the period from here
  std::optional<Instant> wake_at;  // when the policy wants to be asked again
  std::uint64_t steps = 0;
  std::vector<AccountTerms> accounts;      // with shares or limits
  std::vector<ServedCoreHours> served;     // those that have reached their limit of core-hours
  std::optional<MeasuredCosts> measured;   // none: view.costs are given, and stay
  std::map<NodeId, Drain> announced;       // drains that are to begin at their `since`
  std::vector<MaintenanceWindow> windows;  // that are not over, by name
  MoveTerms moves;
  MessageOfTheDay message;  // of an empty text: there is none
  OpId next_op{1};
  JobId next_job{1};
};

}  // namespace aliquot
