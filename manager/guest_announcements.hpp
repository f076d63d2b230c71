// What guests announce on their status channels: another number of tasks for their job, now or after a
// while (docs/evolving.md). Looks at the files of the tasks that run; each announcement becomes an event
// with its number, of which the core takes what it has not heard before, so that a new manager may read
// them again.
//
// A guest may ask for what its job's user may ask for, within the same limits; what is refused becomes an
// event, too, so that the user sees it. Belongs to the loop; files are read on the thread of the background
// tasks.
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "config/settings.hpp"
#include "manager/background_tasks.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/guest_output.hpp"
#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/status_channel.hpp"
#include "manager/step_input.hpp"

namespace aliquot {

class GuestAnnouncements {
 public:
  // All outlive this.
  struct Parts {
    const Scheduler& scheduler;
    BackgroundTasks& files;
    const Settings& settings;
    StepInput& input;  // of the next step
  };
  explicit GuestAnnouncements(Parts parts) : parts_(std::move(parts)), spool_(parts_.settings.spool_dir) {}

  // Looks at these tasks, and takes what is found a moment later. Nothing while it still looks.
  void look(std::vector<RunningTask> running);
  // What the guest of a task has announced so far, in its order.
  void take(const RunningTask& task, const std::vector<AnnouncedSize>& sizes);

 private:
  struct Key {
    JobId job;
    std::uint32_t task = 0;
    std::uint32_t incarnation = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  using Lengths = std::map<Key, std::uintmax_t>;  // of the files

  Parts parts_;
  Spool spool_;
  Lengths lengths_;  // as they were read
  bool looking_ = false;
};

}  // namespace aliquot
