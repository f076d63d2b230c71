// Arrays: one record makes many jobs, its members, no more of them at a time than may stand.
//
// An array is a job of the core that is held in the view for ever, so that no policy places it. Its members
// are submitted by the scheduler as events of a step (due_members); each is a job as any other. An index of
// which no member was made yet costs nothing. The array ends with its last member.
#pragma once

#include <vector>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

// Whether the array that is to have made this job awaits it: of another one nothing is known.
[[nodiscard]] bool awaits(const ClusterState& state, const ArrayMember& member);
// Of the array: the job that is its member with this index and stands; whether that is still to be made.
[[nodiscard]] std::optional<JobId> standing_member(const JobRecord& array, std::uint32_t index);
[[nodiscard]] bool is_to_come(const JobRecord& array, std::uint32_t index);
// The job has just been submitted.
void begin_array(ClusterState& state, JobId id, JobRecord& record);
void note_member(ClusterState& state, JobId id, const ArrayMember& member);

// The array is held, or released.
void hold_array(ClusterState& state, DerivedJob& known, bool held);
// All of the array is cancelled, or the members that the event names.
void cancel_array(ClusterState& state, DerivedJob& known, const Cancelled& event);
// What it waited for has come, or else has changed what it may do.
void follow_array(ClusterState& state, JobId id);
// Tells the arrays which of their members have ended: they may end.
void tell_arrays(ClusterState& state);

// The members that are to be made now, with the ids that come next; at most kMostMembersAtOnce.
[[nodiscard]] std::vector<Submitted> due_members(const ClusterState& state);

}  // namespace aliquot
