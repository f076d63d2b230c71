// Puts the manager together from its parts and runs it: the only place that knows them all.
#pragma once

#include <string>

#include "config/load.hpp"
#include "config/settings.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Runs until SIGTERM or SIGINT arrives on `signals` (a signalfd; SIGHUP reads `file` again). The VMs run on
// afterwards. Errors: what could not be opened, or the store failed while running.
[[nodiscard]] Result<void> run_manager(const std::string& file, Settings settings, int signals,
                                       const SpecCheck& check);

}  // namespace aliquot
