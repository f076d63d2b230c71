#include "manager/core/refused_announcements.hpp"

#include <algorithm>

namespace aliquot {
namespace {

// False: it was remembered before.
bool remember(std::vector<GuestAnnouncement>& refused, const GuestAnnouncement& said) {
  const auto at = std::ranges::lower_bound(refused, said.task, {}, &GuestAnnouncement::task);
  if (at == refused.end() || at->task != said.task) {
    refused.insert(at, said);
    return true;
  }
  if (at->incarnation == said.incarnation && at->number >= said.number) return false;
  *at = said;
  return true;
}

}  // namespace

void on(ClusterState& state, const AnnouncementRefused& event) {
  DerivedJob* const known = state.derived.find(event.job);
  if (!known || !known->job) return;
  Evolution& its = known->record->evolution;
  if (!remember(its.refused, event.guest)) return;
  its.newest_refused = {event.guest.task, event.tasks, event.at, event.why};
}

}  // namespace aliquot
