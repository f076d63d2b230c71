// What guests announce and their jobs may not have (docs/evolving.md): remembered with the job, so that its
// user sees it and a new manager, which reads the guests' files again, does not refuse it a second time.
//
// Accepted and refused announcements of a guest are counted apart. Events of one instant are taken by their
// kinds and not as the guest wrote them, so that the newest of one kind says nothing about the other.
#pragma once

#include "manager/core/cluster_state.hpp"

namespace aliquot {

// Whether this announcement is new, which it is not any more afterwards. `newest`: of each task, by task.
[[nodiscard]] bool hear(std::vector<GuestAnnouncement>& newest, const GuestAnnouncement& said);

// Without effect if the job has ended, or if this announcement was refused before.
void on(ClusterState& state, const AnnouncementRefused& event);

}  // namespace aliquot
