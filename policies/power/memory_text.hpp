// What the power policy has learned of arrivals and loads, as a text that a store can keep: whole numbers
// between blanks, after a name and a version. What nodes were like is not in it: the next view tells.
#pragma once

#include <string>
#include <string_view>

#include "policies/model/error.hpp"
#include "policies/power/decision.hpp"

namespace aliquot::power {

[[nodiscard]] std::string print_memory(const PowerMemory& memory);

// Error: invalid_argument for anything else than print_memory() prints, with the word at which it is.
[[nodiscard]] Result<PowerMemory> read_memory(std::string_view text);

}  // namespace aliquot::power
