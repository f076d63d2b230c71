// A manager that stands by (docs/high-availability.md): its store follows the leader's, and it says what it
// is: every request but `ha.status` is answered with `not_leader` and the leader's address, /readyz and
// /metrics tell how far it is behind. It does nothing else: it knows no node and reads no spool.
#pragma once

#include <memory>

#include "config/load.hpp"
#include "config/settings.hpp"
#include "manager/ha/configured.hpp"
#include "manager/ha/leadership.hpp"
#include "monitor/log.hpp"

namespace aliquot {

// Runs until this manager leads; its store then has all that the leaders before have acknowledged. Null: a
// signal to end came first. `signals` as in run_manager(), `lost` of the leadership that it gets. Errors: a
// port or the store cannot be opened, or the store cannot follow.
[[nodiscard]] Result<std::unique_ptr<ha::Leadership>> stand_by(const Settings& settings,
                                                               const ha::LeaderLease::Parts& leadership,
                                                               int signals, TextLog& log,
                                                               ha::Leadership::Lost lost);

}  // namespace aliquot
