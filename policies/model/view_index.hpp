// What can be derived from a view, so that a decision about a few jobs need not look at all of them: what
// is placed on every node, which nodes are idle, which jobs wait, which are placed.
//
// The core keeps it up to date with every change of the view. A view that was built by hand has none
// (kept() is false), and a policy that could use it goes the long way: it must come to the same plan.
// Derived: neither stored nor compared.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/model/alike_jobs.hpp"
#include "policies/model/free_devices.hpp"

namespace aliquot {

struct Node;
struct ClusterView;

// What a task is given at the very least: its guaranteed yield, and never nothing at all (a job that holds
// memory must make progress).
constexpr Yield floor_of(const Demand& demand) { return std::max(demand.min_yield, Yield{1}); }
constexpr Cpu guaranteed_cpu(const Demand& demand) { return demand.need * floor_of(demand); }

// Added up over the tasks that are placed on one node.
struct NodeLoad {
  Memory memory;
  Cpu need;        // may exceed the node (DFRS, III-A)
  Cpu guaranteed;  // may not
  Cpu given;       // at the yields in force
  std::int64_t tasks = 0;
  friend bool operator==(const NodeLoad&, const NodeLoad&) = default;
};

// A job that stands nowhere, is neither held nor constrained, and so could be placed.
struct WaitingJob {
  Instant submitted;
  JobId id;
  std::uint32_t tasks = 0;
  Duration span;  // its estimate; the longest Duration where there is none
  Weight weight{};
  friend bool operator==(const WaitingJob&, const WaitingJob&) = default;
};

class ViewIndex {
 public:
  [[nodiscard]] bool kept() const { return kept_; }
  // Looks at everything. From then on add() and remove() are to be called around every change of a job,
  // follow_states() after nodes have changed their state, power or service, and rebuild() again after any
  // other change of the nodes.
  void rebuild(const ClusterView& view);
  void follow_states(const ClusterView& view);
  void drop() { *this = {}; }

  // The job as it stands is taken out of all sums, for good or to be changed and then put back.
  void remove(const ClusterView& view, const Job& job);
  void add(const ClusterView& view, const Job& job);
  // The yield of a job that stands somewhere is about to become this, and nothing else is to change.
  void regive(const Job& job, Yield next);
  // Nothing is to change of a job but that it becomes bound to a hypervisor kind, or free.
  void rebind(bool before, bool after) {
    bound_ += static_cast<std::uint32_t>(after) - static_cast<std::uint32_t>(before);
  }

  // The same where it becomes tied to nodes, or is so no more.
  void retie(bool before, bool after) {
    tied_ += static_cast<std::uint32_t>(after) - static_cast<std::uint32_t>(before);
  }

  [[nodiscard]] const NodeLoad& load(NodeId node) const { return loads_[node.raw]; }
  // Nodes that are up and on which nothing stands.
  [[nodiscard]] std::uint32_t idle_count() const { return idle_count_; }
  // All nodes that are up have the same capacity and memory.
  [[nodiscard]] bool uniform() const { return uniform_; }
  [[nodiscard]] std::uint32_t usable_count() const { return usable_count_; }
  // Not one is silent, or boots.
  [[nodiscard]] bool all_answer() const { return all_answer_; }
  // Every job that stands somewhere has all it needs, and none of them is held.
  [[nodiscard]] bool all_served() const { return crowded_ == 0 && slowed_ == 0 && held_ == 0; }
  // Some node holds more than one task.
  [[nodiscard]] bool any_shared() const { return shared_ > 0; }
  [[nodiscard]] bool any_paused() const { return paused_ > 0; }
  // All nodes are of one hypervisor kind, and no job is bound to one.
  [[nodiscard]] bool one_kind() const { return one_kind_ && bound_ == 0; }
  // Some node keeps the VMs that are saved on it.
  [[nodiscard]] bool any_keeps_saves() const { return any_keeps_saves_; }
  // Some job can go on only on the nodes that keep its saved VMs.
  [[nodiscard]] bool any_tied() const { return tied_ > 0; }
  // Jobs that stand somewhere, in increasing id.
  [[nodiscard]] const std::vector<JobId>& placed() const { return placed_; }
  // What is free of every device.
  [[nodiscard]] const FreeDevices& devices() const { return devices_; }
  // By decreasing weight, then in order of submission, then id: the queue of the batch schedulers.
  [[nodiscard]] const std::vector<WaitingJob>& waiting() const { return waiting_; }
  // The same jobs by what they ask for.
  [[nodiscard]] const AlikeJobs& alike() const { return alike_; }

  friend bool operator==(const ViewIndex&, const ViewIndex&) = default;

 private:
  void charge(const ClusterView& view, const Job& job, int sign);

  bool kept_ = false;
  bool uniform_ = false;
  bool all_answer_ = false;
  std::uint32_t usable_count_ = 0;
  std::uint32_t idle_count_ = 0;
  std::uint32_t crowded_ = 0;  // nodes of which more is needed than they have
  std::uint32_t shared_ = 0;   // nodes with more than one task
  std::uint32_t slowed_ = 0;   // placed jobs whose yield in force is not 1
  std::uint32_t held_ = 0;     // placed jobs that are held
  std::uint32_t paused_ = 0;
  bool one_kind_ = false;
  bool any_keeps_saves_ = false;
  std::uint32_t bound_ = 0;  // jobs that are bound to a hypervisor kind
  std::uint32_t tied_ = 0;   // jobs that are tied to nodes
  std::vector<NodeLoad> loads_;
  std::vector<JobId> placed_;
  std::vector<WaitingJob> waiting_;
  AlikeJobs alike_;
  FreeDevices devices_;
};

}  // namespace aliquot
