// What the tasks of a job use of their memory, for eyes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace aliquot::ctl {

// "160M a task; used now: 58M (task 0); largest use: 121M (task 3); --mem 304MiB is enough"; `memory` is
// that of the answer to `show`.
[[nodiscard]] std::string memory_text(const nlohmann::json& memory);

}  // namespace aliquot::ctl
