// What a job or an account was promised, granted and has used, for `show` and `accounts`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/ctl/table.hpp"

namespace aliquot::ctl {

// The part `cpu` of the answer to `show` (docs/protocol.md); empty if nothing was kept.
[[nodiscard]] std::string cpu_text(const nlohmann::json& cpu, const TableStyle& style);

// The same of an account, from the answer to `accounts`.
[[nodiscard]] std::string account_cpu_text(const nlohmann::json& cpu);

}  // namespace aliquot::ctl
