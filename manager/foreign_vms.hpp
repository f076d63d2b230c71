// The VMs on the nodes that belong to no job, from the surveys of the nodes (manager/hypervisor/libvirt/
// node_survey.hpp): VMs that other programs have made, and orphans, which are VMs of this cluster that no
// job knows. Both hold memory and CPU that cannot be given to jobs; the core is told by an event. The
// manager never touches the first, and destroys the others only on an operator's word: a store that was
// restored from a backup does not know the jobs that came later, and their VMs do real work. Only those
// that their own task has outlived are destroyed at once: the manager knows the task, gave that VM up, and
// has made another one for it.
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
#include "monitor/calendar.hpp"
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
  // The orphans that their task has outlived (is_outlived), to be destroyed now; each is given again a
  // minute later if it is still there.
  [[nodiscard]] std::vector<OrphanVm> take_outlived(const CoreState& state, const Calendar& calendar,
                                                    Instant now);

 private:
  struct Suspicion {
    FoundDomain domain;
    Instant seen;
    bool confirmed = false;  // by a second survey
    Instant not_before{};    // to be given as outlived
  };
  std::map<NodeId, std::map<Uuid, Suspicion>> suspicions_;
  std::map<NodeId, Instant> told_;  // the core, last
};

// Why no job of this state knows a VM; none: one does.
[[nodiscard]] std::optional<std::string> unknown_because(const CoreState& state, const VmIdentity& vm);
// Does its task have a later VM? Not so for a VM that was made before its job was submitted, or of which
// that is not known: the number of the job may have been another's, whose job the store has lost.
[[nodiscard]] bool is_outlived(const CoreState& state, const VmIdentity& vm, const Calendar& calendar);

}  // namespace aliquot
