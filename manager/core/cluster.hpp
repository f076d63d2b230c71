// The only mutable state. Changed by events, by adopting a plan, and by noting the actions that were
// issued; everything else reads it. Deterministic: the same calls give the same state, so a log of steps
// is a history that can be replayed.
//
// It keeps, beside the state that is stored, what can be derived from it: the charge of every node and the
// jobs that are not settled. Not thread-safe: it belongs to the loop. Moved, never copied: what it keeps
// beside a job points at the job.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "manager/core/charges.hpp"
#include "manager/core/state.hpp"
#include "manager/core/tally.hpp"
#include "manager/hypervisor/hypervisor.hpp"

namespace aliquot {

class Cluster {
 public:
  // A new cluster: nodes[i].id.raw == i.
  explicit Cluster(std::vector<Node> nodes);
  // A recovered one: a snapshot, to be followed by replay() of the steps since.
  explicit Cluster(CoreState state);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  Cluster(Cluster&&) = default;
  Cluster& operator=(Cluster&&) = default;
  ~Cluster() = default;

  [[nodiscard]] const CoreState& state() const { return state_; }
  [[nodiscard]] const ClusterView& view() const { return state_.view; }
  [[nodiscard]] const JobRecord* record(JobId job) const;
  [[nodiscard]] const NodeCharge& charge(NodeId node) const { return books_[node.raw].charged; }
  // What is not charged: less than nothing on a node that has shrunk below what it holds.
  [[nodiscard]] NodeCharge left(NodeId node) const { return books_[node.raw].left(); }
  // Parts of devices that no VM holds physically.
  [[nodiscard]] const FreeDevices& free_devices() const { return free_devices_; }
  // What a hypervisor needs to know to act on this job's VMs. The job must have a record.
  [[nodiscard]] std::shared_ptr<const JobSpec> sheet(JobId job) const;

  // Time goes on; it never goes back (an earlier instant is taken as the present one).
  void advance(Instant now);
  void apply(const Event& event) { apply(std::span(&event, 1)); }
  void apply(std::span<const Event> events);
  // Ticks are counted from `base` on, and the next is due then.
  void set_ticks(Instant base, std::optional<Instant> next);
  // The plan must have passed check_plan on this very view.
  void adopt(const Plan& plan);
  // The cause has been taken up by a decision.
  void clear_cause() { state_.view.cause = {}; }
  [[nodiscard]] Cause take_cause() { return std::exchange(state_.view.cause, {}); }
  void wake_at(std::optional<Instant> instant) { state_.wake_at = instant; }
  // The actions were issued: they are in flight from now on.
  void note(const std::vector<Action>& actions);
  void count_step() { ++state_.steps; }
  void name_policy(std::string spec) { state_.policy = std::move(spec); }

  // A job whose VMs are not where, or not as, the plan in force wants them.
  struct Unsettled {
    JobId id;
    const Job* job;  // as the plan has it; null: it is leaving
    const JobRecord* record;
    Chores left;   // what may be left to do for it
    bool in_step;  // its VMs are, see in_step.hpp
    bool delayed;  // some VM of it waits before something is tried again
    // The last version in which something of this was changed, other than that a VM began to move to where
    // it is wanted, or came there.
    std::uint64_t changed_in;
  };
  // Counts changes: of events that were applied, of a plan that was adopted, of actions that were issued.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  // Since that version, something may have become free on this node.
  [[nodiscard]] bool freed_since(std::uint64_t version, NodeId node) const {
    return books_[node.raw].freed_in > version;
  }
  [[nodiscard]] bool all_settled() const { return unsettled_.empty(); }
  // Appends all of them, in increasing id.
  void list_unsettled(std::vector<Unsettled>& all) const;
  [[nodiscard]] Unsettled unsettled(JobId id) const { return unsettled(sides_.at(id)); }
  // The plan in force has been looked through for moves that wait for each other, and nothing has failed
  // or been disturbed since.
  [[nodiscard]] bool cycles_broken() const { return cycles_broken_; }
  // The VMs of which it is not known what they are doing.
  [[nodiscard]] std::vector<VmQuery> unclear() const;
  // Jobs that have ended since this was last called.
  [[nodiscard]] std::vector<JobOutcome> take_ended();
  // When a time limit or a back-off is due, at the rates of now; kNever if none is.
  [[nodiscard]] Instant next_timer() const;

 private:
  // Beside a job's record: what is derived from it, or remembered for as long as it lives.
  struct Side {
    JobId id;
    JobRecord* record = nullptr;
    Job* job = nullptr;                    // as the view has it; null: it is leaving
    std::shared_ptr<const JobSpec> sheet;  // null: to be made again
    bool open = false;                     // its VMs have changed: what follows is to be derived
    bool in_step = false;                  // known to be, see in_step.hpp; false: to be looked at
    bool unsettled = false;
    bool delayed = false;            // some VM of it waits before something is tried again
    bool counted = false;            // the tally is of all its VMs; false: read from one that tells of all
    VmTally tally;                   // unless it is open
    std::uint32_t derived_from = 0;  // the traits of which all that follows was derived
    bool changed = false;            // it is open, and not only for VMs that move to where they are wanted
    std::uint64_t changed_in = 0;    // see Unsettled
  };
  class PlanEdit;  // around every change of a job as the view has it: keeps the index of the view
  class VmEdit;    // around every change of what a VM holds: keeps the charges of the nodes
  class VmMove;    // the same of a live migration, which is simple and frequent

  void on(const Configured& event);
  void on(const Restarted& event);
  void on(const TaskEnded& event);
  void on(const Cancelled& event);
  void on(const Outcome& event);
  void on(const Inspected& event);
  void on(const NodeChanged& event);
  void on(const ForeignMove& event);
  void on(const PolicyChanged& event);
  void on(const ModeChanged& event);
  void on(const Submitted& event);
  void on(const HoldChanged& event);
  void on(const TimerExpired& event);
  void on(const Woken& event);
  void on(const Tick& event);

  // Null: there is no such job (any more).
  [[nodiscard]] Side* side(JobId job);
  Side& add_side(JobId id, JobRecord& record);
  // Before every change of a job's VMs; close() then derives what follows. `alike`: the change is the same
  // for all of them.
  void open(Side& side, bool alike = false);
  // The same where every change is made by a VmEdit, or of all VMs together.
  void open_counted(Side& side, bool alike);
  void close();
  // See cluster_edit.hpp.
  template <class Change>
  void change_all(Side& side, Change change);
  void adopt_change(const Change& change);
  void note_action(const Action& action);
  std::optional<ActionKind> succeed(Side& side, const Outcome& event);
  void follow_success(Side& side, ActionKind kind, bool mended, Duration stall);
  void miscarry(Side& side, Vm& vm, std::uint32_t task, const Error& error);
  void end_tasks(const TaskEnded& event, Side& side);
  void end_task(const TaskEnded& event, Side& side, Vm& vm);
  void end_all(const TaskEnded& event, Side& side);
  void found_running(Side& side, Vm& vm, const Inspected& event);
  void found_gone(Side& side, Vm& vm, const Inspected& event);
  // The job leaves the view; its VMs are destroyed by and by.
  void leave(Side& side, JobResult result, std::string note);
  void finish_if_gone(Side& side);
  void finish(Side& side);
  void arrive(JobId id);
  void unplace_absent_on(NodeId node);
  void expire_limits();
  // Adds what the VM holds to its nodes' charges, or takes it off.
  void charge(const JobRecord& record, const Vm& vm, int sign);
  void charge(NodeId node, const NodeCharge& more);
  // What the nodes have is known anew.
  void open_books();
  void discharge(NodeId node, const NodeCharge& less);
  void charge_devices(const JobRecord& record, const Vm& vm, int sign);
  // The models of these nodes by the numbers that this cluster has given them; new ones get the next.
  void number_models(const std::vector<std::string>& names, std::vector<Node>& nodes);
  void recount_devices();
  [[nodiscard]] static std::vector<DevicesHeld> devices_held(const JobRecord& record);
  [[nodiscard]] std::vector<std::string> device_places(NodeId node, DeviceSet slots) const;
  [[nodiscard]] static bool only_moves_on(const Side& side);
  void derive(Side& side);
  void derive_all();
  void count_unsettled(Side& side, bool unsettled);
  [[nodiscard]] static Unsettled unsettled(const Side& side);

  CoreState state_;
  std::vector<NodeBook> books_;
  std::uint64_t version_ = 0;
  FreeDevices free_devices_;
  std::vector<Side*> unsettled_;  // in increasing id
  std::vector<Side*> open_;
  std::size_t delayed_ = 0;  // jobs
  bool cycles_broken_ = false;
  std::set<JobId> limited_;  // jobs of the view that have a time limit
  std::vector<JobOutcome> ended_;
  mutable IdTable<JobId, Side> sides_;
};

}  // namespace aliquot
