#include "manager/hypervisor/libvirt/sightings.hpp"

#include <algorithm>

namespace aliquot {

std::vector<Sighting> found_in(const std::vector<Sighting>& sightings) {
  std::vector<Sighting> found;
  std::ranges::copy_if(sightings, std::back_inserter(found),
                       [](const Sighting& each) { return each.fact && *each.fact != VmFact::absent; });
  return found;
}

bool is_nowhere(const VmQuery& query, const std::vector<Sighting>& sightings) {
  if (query.nodes.empty() && !query.was_moved) return found_in(sightings).empty();
  return std::ranges::all_of(sightings, [](const Sighting& each) { return each.fact == VmFact::absent; });
}

}  // namespace aliquot
