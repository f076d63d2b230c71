// The whole state of the manager's core as plain data: what a snapshot holds, what recovery starts from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manager/core/measured_costs.hpp"
#include "policies/model/event.hpp"
#include "policies/model/step.hpp"
#include "policies/model/submission.hpp"

namespace aliquot {

enum class VmState : std::uint8_t {
  absent,  // not created (again) yet
  ready,   // exists on its node, paused and capped, waiting for its job to be released
  running,
  saved,  // its image stands in shared storage; it holds nothing
  ended,
};

// An action under way for one VM. Both ends of a move are charged until its outcome is in.
struct Flight {
  OpId op;
  ActionKind kind = ActionKind::cap;
  NodeId to;    // where it will stand, for create, restore and migrate
  Yield yield;  // the cap it will have, for create, restore and cap
  Instant since;
  friend bool operator==(const Flight&, const Flight&) = default;
};

struct Vm {
  VmState state = VmState::absent;
  std::uint32_t incarnation = 0;  // counts creations; 0: never created
  NodeId node;                    // where it stands (ready, running)
  std::uint32_t units = 1;        // tasks of its job that it holds; more than one only if grouped
  Yield cap;                      // acknowledged by the hypervisor
  bool cap_stale = false;         // what the hypervisor really has is not known: set it again
  bool has_run = false;           // was released once: its memory is worth saving
  bool unclear = false;           // an outcome was not to be had: to be inspected before anything is done
  NodeId wanted;                  // where the plan in force wants it (when its job is to run)
  std::optional<Flight> flight;
  std::uint32_t failures = 0;    // of actions in a row
  Instant not_before;            // back-off after a failure
  std::optional<int> exit_code;  // when ended
  friend bool operator==(const Vm&, const Vm&) = default;
};

struct JobRecord {
  Shared<Submission> submission;
  // By task number; of a grouped job (policies/model/job.hpp) one for each node of its placement, which is
  // known once it is placed: before that, one that stands for all of it.
  std::vector<Vm> vms;
  // Cancelled, failed or timed out: its VMs are being destroyed. No policy sees it any more: the job
  // has left view.jobs and stands here.
  std::optional<Job> leaving;
  JobResult result = JobResult::completed;
  std::string note;                // why it is ending or held
  std::optional<Instant> started;  // first release
  std::uint32_t preemptions = 0;
  std::uint32_t migrations = 0;
  Memory preempted;
  Memory migrated;
  std::vector<DeviceSet> devices{};  // by VM: which slots of its node; empty if the job asks for none
};

[[nodiscard]] inline std::uint32_t vm_count(const JobRecord& record) {
  return static_cast<std::uint32_t>(record.vms.size());
}

struct CoreState {
  ClusterView view;
  IdTable<JobId, JobRecord> records;  // the keys of view.jobs, and the jobs that are leaving
  Mode mode = Mode::automatic;
  std::string policy;              // canonical spec
  Instant tick_base;               // ticks are multiples of the period from here
  std::optional<Instant> wake_at;  // the plan in force wants to be asked again
  std::uint64_t steps = 0;
  std::optional<MeasuredCosts> measured;  // none: the view's costs are given, and stay
  OpId next_op{1};
  JobId next_job{1};
};

}  // namespace aliquot
