#include "manager/core/refused_announcements.hpp"

#include <algorithm>

namespace aliquot {
bool hear(std::vector<GuestAnnouncement>& newest, const GuestAnnouncement& said) {
  const auto at = std::ranges::lower_bound(newest, said.task, {}, &GuestAnnouncement::task);
  if (at == newest.end() || at->task != said.task) {
    newest.insert(at, said);
    return true;
  }
  if (at->incarnation == said.incarnation && at->number >= said.number) return false;
  *at = said;
  return true;
}

void on(ClusterState& state, const AnnouncementRefused& event) {
  DerivedJob* const known = state.derived.find(event.job);
  if (!known || !known->job) return;
  Evolution& its = known->record->evolution;
  if (!hear(its.refused, event.guest)) return;
  its.newest_refused = {event.guest.task, event.tasks, event.at, event.why};
}

}  // namespace aliquot
