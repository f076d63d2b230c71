// The answer to `plan` as text: what would change for each job, its costs and gains, the actions in order,
// and why the other jobs wait.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/ctl/table.hpp"

namespace aliquot::ctl {

// Wide: with every action.
[[nodiscard]] std::string plan_text(const nlohmann::json& plan, const TableStyle& style, bool wide);

}  // namespace aliquot::ctl
