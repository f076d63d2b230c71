// Completion scripts of shells, made from the table of verbs. They offer verbs, options, and what the
// manager names: jobs, nodes, accounts, images. It is given a second to answer.
#pragma once

#include <string>
#include <vector>

namespace aliquot::ctl {

[[nodiscard]] std::vector<std::string> completed_shells();

// The script of one of these shells, to be evaluated: `source <(aliquot completion bash)`.
[[nodiscard]] std::string completion(const std::string& shell);

}  // namespace aliquot::ctl
