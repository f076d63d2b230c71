// A bash completion script made from the table of verbs.
#pragma once

#include <string>

namespace aliquot::ctl {

// To be evaluated: `source <(aliquot completion bash)`.
[[nodiscard]] std::string bash_completion();

}  // namespace aliquot::ctl
