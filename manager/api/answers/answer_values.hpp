// Values in answers: amounts in the units shown to users, instants of the manager's clock as wall-clock
// times.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "monitor/calendar.hpp"
#include "policies/model/view.hpp"
#include "policies/power/energy.hpp"

namespace aliquot {

// The instant of the answer, and the dates of all instants.
struct AnswerClock {
  Instant now;
  Calendar calendar;
};

namespace wire {

// "2026-01-31T08:00:00.123Z"
[[nodiscard]] std::string iso_time(std::int64_t unix_us);
[[nodiscard]] std::string iso_time(Instant instant, const AnswerClock& clock);
[[nodiscard]] nlohmann::json iso_or_null(std::optional<Instant> instant, const AnswerClock& clock);
[[nodiscard]] nlohmann::json seconds_or_null(std::optional<Duration> duration);

// "45s", "5m05s", "2h", "3d04h": whole units, for a sentence.
[[nodiscard]] std::string about(Duration duration);

// As numbers with at most six decimals.
[[nodiscard]] double ratio(Yield yield);
[[nodiscard]] nlohmann::json ratio_or_null(std::optional<Yield> yield);
[[nodiscard]] double in_cores(Cpu cpu);
[[nodiscard]] double joules(power::Energy energy);

// [{"node":"n1","tasks":2}, ...]
[[nodiscard]] nlohmann::json placement_json(const ClusterView& view, const Placement& placement);
[[nodiscard]] std::string node_name(const ClusterView& view, NodeId node);

}  // namespace wire
}  // namespace aliquot
