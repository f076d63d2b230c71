// A manager that stands by (docs/high-availability.md): its store follows the leader's, and it says what it
// is: every request is answered with `not_leader` and the leader's address, /readyz and /metrics tell how
// far it is behind. It does nothing else: it knows no node and reads no spool.
#pragma once

#include <memory>

#include "config/load.hpp"
#include "config/settings.hpp"
#include "manager/ha/leadership.hpp"
#include "monitor/log.hpp"

namespace aliquot {

// How the leadership is configured, and what is done when it is lost.
[[nodiscard]] ha::Leadership::Parts leadership_parts(const Settings& settings,
                                                     std::function<void(const std::string& why)> lost);

// Runs until this manager leads; its store then has all that the leaders before have acknowledged. Null: a
// signal to end came first. `signals` as in run_manager(). Errors: a port or the store cannot be opened, or
// the store cannot follow.
[[nodiscard]] Result<std::unique_ptr<ha::Leadership>> stand_by(const Settings& settings, int signals,
                                                               TextLog& log,
                                                               ha::Leadership::Parts leadership);

}  // namespace aliquot
