// What a line of the log says, as a sentence for people, with the names of nodes: `aliquot events` and
// `watch` show it. An action is told with its number, by which its outcome is found. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "policies/model/view.hpp"

namespace aliquot::wire {

// Of an event, an action, a decision or the end of a job; without the job's number, which stands beside it.
// Empty: it is none of them, or of a release that wrote it otherwise.
[[nodiscard]] std::string line_words(const ClusterView& view, const nlohmann::json& line);

}  // namespace aliquot::wire
