// JSON of events: {"event": "submitted", "job": 7, ...}.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "monitor/record/event.hpp"

namespace aliquot {

void to_json(nlohmann::json& out, const Drain& drain);
void from_json(const nlohmann::json& in, Drain& drain);
void to_json(nlohmann::json& out, const MaintenanceWindow& window);
void from_json(const nlohmann::json& in, MaintenanceWindow& window);
void to_json(nlohmann::json& out, const GuestAnnouncement& said);
void from_json(const nlohmann::json& in, GuestAnnouncement& said);
void to_json(nlohmann::json& out, const Event& event);
void from_json(const nlohmann::json& in, Event& event);

// The name of the event in metrics, journal and messages.
[[nodiscard]] std::string_view word(const Event& event);

}  // namespace aliquot
