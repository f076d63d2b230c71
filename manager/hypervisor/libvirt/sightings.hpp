// What the nodes have answered about one VM that is looked for, and what follows from it.
#pragma once

#include <optional>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"

namespace aliquot {

// The answer of one node. VmFact::absent is an answer; no value: the node did not answer.
struct Sighting {
  NodeId node;
  std::optional<VmFact> fact;
};

// The sightings of nodes that have it: none, one, or (a migration under way, a fault) several.
[[nodiscard]] std::vector<Sighting> found_in(const std::vector<Sighting>& sightings);

// Of a VM that no node has found: is it on none? Only then may its job start anew. A node that does not
// answer leaves that open, whether the VM should be there or another program may have moved it there from a
// node that answers. Only where nothing remains of the nodes where it should be (they are off), a silent
// node elsewhere does not count, unless the VM is known to have been moved: the jobs of a dead node do not
// wait for another one.
[[nodiscard]] bool is_nowhere(const VmQuery& query, const std::vector<Sighting>& sightings);

}  // namespace aliquot
