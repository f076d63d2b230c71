// The bodies of the requests with which operators plan drains and maintenance windows, and set the message
// of the day: read from JSON that has been bounded, and written. A fault of a body becomes one of its
// fields. docs/protocol.md lists the keys.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "manager/api/wire/request.hpp"

namespace aliquot::wire {

class Fields;

[[nodiscard]] Request read_drain(Fields& f);
[[nodiscard]] nlohmann::json drain_json(const NodeDrain& drain);

[[nodiscard]] Request read_maintenance_add(Fields& f);
[[nodiscard]] Request read_maintenance_remove(Fields& f);
[[nodiscard]] nlohmann::json body_json(const MaintenanceAdd& add);
[[nodiscard]] nlohmann::json body_json(const MaintenanceRemove& remove);

[[nodiscard]] Request read_motd_set(Fields& f);
[[nodiscard]] nlohmann::json body_json(const MotdSet& set);

}  // namespace aliquot::wire
