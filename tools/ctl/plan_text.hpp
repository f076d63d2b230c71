// The answer to `plan`, for people: what would change for whom, what it costs and gains, the actions in
// their order, and why the rest waits.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/ctl/table.hpp"

namespace aliquot::ctl {

// Wide: with every action.
[[nodiscard]] std::string plan_text(const nlohmann::json& plan, const TableStyle& style, bool wide);

}  // namespace aliquot::ctl
