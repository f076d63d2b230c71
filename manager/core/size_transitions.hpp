// The number of tasks of a job changes while it runs: `aliquot evolve`, or the profile that it was
// submitted with (evolving applications: Klein, Perez 2011, 3.1).
//
// A job grows by whole task VMs, all of one step together, once there is room for them beside what is
// placed; nothing is moved or paused for them. A policy that shares the CPU makes room at once: what the
// nodes lack, all jobs on them give up, down to their guarantees, before the policy is asked. New tasks get
// new numbers.
//
// Until its new tasks run, the job goes on without them. It is then given a part of what it needs, so its
// virtual time passes at that part of its yield: a step of a profile that gets 2 of its 4 tasks takes twice
// as long. Only what is missing for the profile counts: that was known when the job was submitted,
// and a job that announces more tasks later does not slow the clock of its own time limit.
//
// A job shrinks by its tasks of the highest numbers. The guest of each is told; it may end by itself, and
// any exit status is right then. When its grace is over, its VM is taken. A task that has never run leaves
// at once; one that is saved has to go on first. One that runs is not moved any more.
#pragma once

#include <optional>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

void on(ClusterState& state, const TasksChanged& event);
// Without effect if the job does not run any more, or waits for fewer tasks than that.
void on(ClusterState& state, const TasksAdded& event);

// The changes whose time has come: those announced for then, and steps of profiles that the jobs' virtual
// times have reached.
[[nodiscard]] std::vector<TasksChanged> due_changes(const ClusterState& state);
// The first job that can grow now, and where; none: no job can. `slows_others`: for want of CPU all jobs
// of a node may be slowed, as policies do that share it.
[[nodiscard]] std::optional<TasksAdded> next_growth(const ClusterState& state, bool slows_others);
// When a change or the end of a grace is due, at the present rates; kNever if none is.
[[nodiscard]] Instant next_change(const ClusterState& state);

// A job is over when all its tasks have ended that ever ran: those that were to join it leave before they
// begin. The job may have ended with them.
void dismiss_joining(ClusterState& state, JobId job);

// Tasks that are to leave and of which nothing is left have ended. The job may have ended with them.
void follow_leaving(ClusterState& state, JobId job);

// The guest is told, or its VM is taken, now.
enum class LeavingStep : std::uint8_t { nothing, notify, destroy };
[[nodiscard]] LeavingStep leaving_step(const Vm& vm, Instant now);

// Its number of tasks may change: what due_changes() and next_change() look at.
[[nodiscard]] bool may_evolve(const JobRecord& record);

}  // namespace aliquot
