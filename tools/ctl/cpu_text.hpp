// What a job was promised, granted and has used, for `show`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/ctl/table.hpp"

namespace aliquot::ctl {

// The part `cpu` of the answer to `show` (docs/protocol.md); empty if nothing was kept.
[[nodiscard]] std::string cpu_text(const nlohmann::json& cpu, const TableStyle& style);

}  // namespace aliquot::ctl
