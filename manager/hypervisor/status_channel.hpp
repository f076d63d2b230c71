// Reads what a guest wrote to its status channel (docs/guest-contract.md). The guest is not trusted: at
// most the last 4 KiB count, and of those only whole lines of the exact form. Not the place that decides
// whether a VM has ended: a guest that wrote its exit line may still be powering off.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"

namespace aliquot {

// The exit status of the last complete `aliquot-status 1 exit N` line.
[[nodiscard]] std::optional<int> exit_status(std::string_view text);

// The same from a file; no exit status if there is no such file.
[[nodiscard]] Result<std::optional<int>> read_exit_status(const std::string& path);

}  // namespace aliquot
