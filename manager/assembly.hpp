// Makes the parts of the manager, connects them and runs the loop. The only place that knows all parts.
#pragma once

#include <functional>
#include <memory>

#include "config/load.hpp"
#include "config/settings.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/ha_requests.hpp"
#include "manager/store/replication.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Reads the settings again, for a reload.
using Reread = std::function<LoadResult()>;

// Runs until SIGTERM or SIGINT arrives on `signals` (a signalfd; SIGHUP reads the settings again). The VMs
// run on afterwards. Errors: what could not be opened, or the store failed while running. `replication`
// and `ha`: of the leader of several managers, which share the spool. `hot`: the scheduler after the newest
// step of the store, so that this is not read.
[[nodiscard]] Result<void> run_manager(Settings settings, const Reread& reread, int signals,
                                       const Replication* replication = nullptr, HaRequests ha = {},
                                       std::unique_ptr<Scheduler> hot = nullptr);

}  // namespace aliquot
