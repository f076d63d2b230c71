// The answers about terminals, as JSON bodies. Pure; docs/protocol.md lists the keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "policies/model/id.hpp"

namespace aliquot {

[[nodiscard]] std::string attached_answer(JobId job, std::uint32_t task, std::uint64_t terminal);
// Whether the terminal has ended, and why.
[[nodiscard]] std::string terminal_answer(const std::optional<std::string>& end);

}  // namespace aliquot
