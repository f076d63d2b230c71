// What a meter of a node says, as one line of text, and what the node has drawn between two readings:
//
//   watts 231.5                               what it draws now, at the wall (IPMI: `dcmi power reading`)
//   microjoules 81234567 262143328850 ...     a counter and the range in which it wraps, for each zone of
//                                             RAPL: `energy_uj` and `max_energy_range_uj`
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/power/energy.hpp"

namespace aliquot::power {

// More than any node draws.
inline constexpr Watts kMostMeasured = watts(100'000);

struct EnergyCounter {
  std::int64_t microjoules = 0;
  std::int64_t range = 0;  // at which it begins anew from 0
  friend bool operator==(const EnergyCounter&, const EnergyCounter&) = default;
};

struct MeterReading {
  std::optional<Watts> draw{};            // none: it has counters
  std::vector<EnergyCounter> counters{};  // one or more
  friend bool operator==(const MeterReading&, const MeterReading&) = default;
};

// Error: invalid_argument, with what a line is to say.
[[nodiscard]] Result<MeterReading> parse_meter(std::string_view line);

// The average between two readings that are `span` apart. None: they are not of the same counters, or say
// more than kMostMeasured, as after a boot, when counters begin at 0 again.
[[nodiscard]] std::optional<Watts> draw_between(const MeterReading& before, const MeterReading& now,
                                                Duration span);

}  // namespace aliquot::power
