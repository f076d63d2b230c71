// What a job asks for, and what a policy sees of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/model/device.hpp"
#include "policies/model/id.hpp"
#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

// What runs the VMs of a node. A saved VM, a checkpoint and a live migration are the hypervisor's own, so
// the VMs of a job go on within one kind; a job of which no VM exists may be started on any.
enum class HypervisorKind : std::uint8_t { libvirt, xen };

// What a job asks for, per task: a fluid CPU need, a rigid memory requirement (DFRS, II-B). Beyond the
// paper, per node: devices, a spread.
struct Demand {
  std::uint32_t tasks = 1;
  Cpu need;                          // at full speed, per task
  Memory memory;                     // per task, the VM's overhead included
  Yield min_yield;                   // guaranteed whenever the job runs; 0: none
  std::optional<Duration> estimate;  // of the run time alone; only the batch policies read it
  bool movable = true;               // false: never saved, never migrated (it holds a device)
  DeviceDemand devices{};
  Spread spread{};
  std::int64_t priority = 0;  // the user's own, larger first; only policies that say so read it
  std::optional<HypervisorKind> hypervisor{};  // only nodes of this kind; none: any
  // The run time alone, predicted at the submission from earlier runs (policies/prediction); none: nothing
  // is known, or nothing has asked.
  std::optional<Duration> predicted{};
  // Of the share that its user and account have used, against what they are entitled to
  // (policies/fairness): above 1 it comes sooner than without fair share, below 1 later.
  Weight weight{};
  friend bool operator==(const Demand&, const Demand&) = default;
};

// Asks where it stands, not only how much it gets: most policies place no such job.
[[nodiscard]] constexpr bool is_constrained(const Demand& demand) {
  return demand.devices.any() || demand.spread.any();
}
// One VM on each node holds all its tasks there; of every other job each task has a VM of its own.
[[nodiscard]] constexpr bool is_grouped(const Demand& demand) { return demand.devices.any(); }

struct Share {
  NodeId node;
  std::uint32_t units = 0;
  friend constexpr auto operator<=>(const Share&, const Share&) = default;
};

// Where the tasks of one job stand: increasing node, positive units. Empty: nowhere.
using Placement = std::vector<Share>;

// As the plan in force has it; what is still under way to get there is in the job's flights.
enum class Phase : std::uint8_t {
  waiting,  // never placed
  running,  // placed: holds memory and CPU on the nodes of its placement
  paused,   // placed before, now saved: holds nothing
};

// A number of tasks that a job will have: a step of its evolution profile, once its virtual time is `work`,
// or a change that is announced for an instant; the other of the two is 0. Both 0: it is due, and waits for
// room, or for tasks to leave.
struct LaterTasks {
  std::uint32_t tasks = 0;
  VirtualTime work;
  Instant at;
  friend bool operator==(const LaterTasks&, const LaterTasks&) = default;
};

struct Job {
  JobId id;
  Demand demand;  // demand.tasks counts the tasks that have not ended
  Instant submitted;
  Phase phase = Phase::waiting;
  bool held = false;        // the user's or operator's: not to be placed
  bool pinned = false;      // now neither to be paused nor moved: immovable, or its node does not answer
  bool cools_down = false;  // pinned for no other reason than that it has been moved lately
  bool in_flight = false;   // some action of it is under way
  Placement placement;      // in force; empty unless running
  Yield yield;              // in force; 0 unless running
  Progress progress;        // its virtual time
  Instant phase_since;      // of `phase`
  // In force, parallel to the placement; empty for a job that asks for no devices.
  std::vector<DeviceSet> devices{};
  // The kind that it asks for, or that its VMs are of, running or saved. None: any, or all nodes are of one
  // kind and nothing has to be remembered.
  std::optional<HypervisorKind> bound{};
  // Not empty: VMs of it are saved, or are being saved, on nodes that keep what they save
  // (Node::keeps_saves). It may be placed exactly here, and nowhere else. Empty while it is placed.
  Placement tied_to{};
  // What is known of its next numbers of tasks, and has not come yet: what is due, then its profile, then
  // what is announced. Empty for a job that does not evolve.
  std::vector<LaterTasks> later{};
  // Of a job that is not movable, as its user has set them: the most virtual time that it is served, and
  // the most time that passes once it runs. Only what keeps to maintenance windows (policies/maintenance)
  // reads them. None: no limit.
  std::optional<Duration> time_limit{};
  std::optional<Duration> wall_limit{};
};

}  // namespace aliquot
