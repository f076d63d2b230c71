// Makes a store that begins with a given state instead of an empty one, for a cluster whose store is lost.
#pragma once

#include <string>

#include "manager/core/state.hpp"
#include "monitor/calendar.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct StoreIdentity {
  std::string cluster_id;
  ClockRow clock;  // of the only run that it knows; the next opening of the store has the next epoch
};

// The file is complete when it gets its name. Errors: conflict, a store stands there already.
[[nodiscard]] Result<void> make_store(const std::string& path, const StoreIdentity& identity,
                                      const CoreState& state);

}  // namespace aliquot
