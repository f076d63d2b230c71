// Tells the guests of jobs with networks which tasks their jobs have, when that changes: writes the lists
// that their VMs read (manager/hypervisor/task_list.hpp). A new manager writes each of them once, so one
// that dies in between leaves no guest behind.
//
// Belongs to the loop; files are written on the thread of the background tasks, one after the other.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "manager/background_tasks.hpp"
#include "manager/core/state.hpp"
#include "manager/hypervisor/spool.hpp"

namespace aliquot {

class TaskLists {
 public:
  // Both outlive this. `warn` is called on the loop.
  TaskLists(BackgroundTasks& files, Spool spool, std::function<void(const std::string&)> warn)
      : files_(files), spool_(std::move(spool)), warn_(std::move(warn)) {}

  // Writes the lists that have changed since the last call.
  void look(const CoreState& state);

 private:
  using Lists = std::map<JobId, std::vector<std::uint32_t>>;

  BackgroundTasks& files_;
  Spool spool_;
  std::function<void(const std::string&)> warn_;
  Lists told_;
  std::set<JobId> failed_;  // has been warned of
};

}  // namespace aliquot
