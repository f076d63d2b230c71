// Closes the manager's directories and files to other users. A user gets the output of its jobs from the
// manager, and needs no access to the spool.
#pragma once

#include "config/settings.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Makes the directories of store and spool, and sets the umask of the process: what the manager creates
// from here on is its own alone, or accessible to hypervisor.qemu_group too. A spool that an earlier
// version left open is closed by the mode of its root. Before any thread is started.
Result<void> close_to_others(const Settings& settings);

}  // namespace aliquot
