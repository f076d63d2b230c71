// What the metrics say of maintenance windows and of moves that wait, read off the core's state. Pure.
#pragma once

#include "manager/core/state.hpp"
#include "monitor/metrics.hpp"

namespace aliquot {

[[nodiscard]] UpkeepGauges upkeep_gauges(const CoreState& state);

}  // namespace aliquot
