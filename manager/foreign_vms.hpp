// The VMs on the nodes that belong to no job, from the surveys of the nodes (manager/hypervisor/libvirt/
// node_survey.hpp): VMs that other programs have made, and orphans, which are VMs of this cluster that no
// job knows. Both hold memory and CPU that cannot be given to jobs; the core is told by an event. The
// manager never touches the first, and destroys the others only on an operator's word: a store that was
// restored from a backup does not know the jobs that came later, and their VMs do real work.
//
// An orphan is taken for one when two surveys in a row have found it: the VM of a task that has just ended
// is still there for a moment. Belongs to the loop.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manager/core/state.hpp"
#include "manager/hypervisor/node_survey.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

struct OrphanVm {
  NodeId node;
  FoundDomain domain;
  Instant seen;         // first
  std::string because;  // why no job knows it
};

class ForeignVms {
 public:
  // A node's newest survey. Gives the event by which the core learns of a change, if there is one;
  // `speed_ppm` is that of the node's cores.
  [[nodiscard]] std::optional<Event> take(NodeId node, const NodeSurvey& survey, std::int64_t speed_ppm,
                                          const CoreState& state, Instant now);
  // By node, then by job. Only those that no job knows by now, and none on removed nodes.
  [[nodiscard]] std::vector<OrphanVm> orphans(const CoreState& state) const;
  [[nodiscard]] std::size_t count_orphans(const CoreState& state, NodeId node) const;

 private:
  struct Suspicion {
    FoundDomain domain;
    Instant seen;
    bool confirmed = false;  // by a second survey
  };
  std::map<NodeId, std::map<Uuid, Suspicion>> suspicions_;
  std::map<NodeId, Instant> told_;  // the core, last
};

// Why no job of this state knows a VM; none: one does.
[[nodiscard]] std::optional<std::string> unknown_because(const CoreState& state, const VmIdentity& vm);

}  // namespace aliquot
