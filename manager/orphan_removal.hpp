// Destroys orphans (foreign_vms.hpp): those that an operator names, and those that their task has outlived.
// What came of each is a line of the log.
#pragma once

#include <string>
#include <vector>

#include "manager/background_tasks.hpp"
#include "manager/foreign_vms.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"
#include "manager/inbox.hpp"
#include "manager/node_roster.hpp"
#include "monitor/log.hpp"

namespace aliquot {

class OrphanRemoval {
 public:
  struct Parts {
    NodeHypervisor& hypervisor;
    const NodeRoster& roster;
    Inbox& inbox;
    TextLog& log;
  };
  explicit OrphanRemoval(Parts parts) : parts_(parts) {}

  // Blocks, at most for 40 s; on a thread of background tasks. `cause`: a field of the line in the log.
  [[nodiscard]] Result<void> remove(const OrphanVm& vm, const std::string& cause) const;
  // One after another, on the thread of `tasks`.
  void remove_outlived(const std::vector<OrphanVm>& vms, BackgroundTasks& tasks) const;

 private:
  const Parts parts_;
};

}  // namespace aliquot
