// Jobs and nodes as tables.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tools/ctl/table.hpp"

namespace aliquot::ctl {

// Rows of `list` (docs/protocol.md). Wide adds account, stretch, moves and where the tasks stand.
// Of an array: "running 50, completed 120, to come 830".
[[nodiscard]] std::string array_words(const nlohmann::json& job);
[[nodiscard]] Table job_table(const nlohmann::json& jobs, bool wide);
[[nodiscard]] Table vm_table(const nlohmann::json& vms);
// Its state, or while it is not on: "going_off", "off", "waking".
[[nodiscard]] std::string node_word(const nlohmann::json& node);
[[nodiscard]] Table node_table(const nlohmann::json& nodes, bool wide);

[[nodiscard]] Tint state_tint(const std::string& state);

}  // namespace aliquot::ctl
