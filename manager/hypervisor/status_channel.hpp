// Reads the exit status that a guest wrote to its status channel (docs/guest-contract.md). The guest is not
// trusted: only the last 4 KiB are read, and only complete lines of the exact form count. An exit status
// does not mean that the VM has ended: the guest may still be powering off.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"

namespace aliquot {

// The exit status of the last complete `aliquot-status 1 exit N` line.
[[nodiscard]] std::optional<int> exit_status(std::string_view text);

// The same from a file; no exit status if the file does not exist.
[[nodiscard]] Result<std::optional<int>> read_exit_status(const std::string& path);
// Whether the file can be read and has one.
[[nodiscard]] bool has_exit_status(const std::string& path);

}  // namespace aliquot
