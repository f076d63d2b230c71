// A manager that stands by (docs/high-availability.md): its store follows the leader's, and it says what it
// is: every request but `ha.status` is answered with `not_leader` and the leader's address, /readyz and
// /metrics tell how far it is behind. It keeps the state of the core, to be ready at once. It does nothing
// else: it knows no node and reads no spool.
#pragma once

#include <memory>

#include "config/load.hpp"
#include "config/settings.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/ha/configured.hpp"
#include "manager/ha/leadership.hpp"
#include "monitor/log.hpp"

namespace aliquot {

struct TakenOver {
  std::unique_ptr<ha::Leadership> leadership;  // null: a signal to end came first
  std::unique_ptr<Scheduler> hot;  // after the newest step of the store (hot_core.hpp); null: it is cold
};
// Runs until this manager leads; its store then has all that the leaders before have acknowledged.
// `signals` as in run_manager(), `lost` of the leadership that it gets. Errors: a port or the store cannot
// be opened, or the store cannot follow.
[[nodiscard]] Result<TakenOver> stand_by(const Settings& settings, const ha::LeaderLease::Parts& leadership,
                                         int signals, TextLog& log, ha::Leadership::Lost lost);

}  // namespace aliquot
