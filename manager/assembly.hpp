// Puts the manager together from its parts and runs it: the only place that knows them all.
#pragma once

#include <functional>

#include "config/load.hpp"
#include "config/settings.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Reads the settings once more.
using Reread = std::function<LoadResult()>;

// Runs until SIGTERM or SIGINT arrives on `signals` (a signalfd; SIGHUP reads the settings again). The VMs
// run on afterwards. Errors: what could not be opened, or the store failed while running.
[[nodiscard]] Result<void> run_manager(Settings settings, const Reread& reread, int signals);

}  // namespace aliquot
