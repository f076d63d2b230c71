// Text for error messages about input from clients.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aliquot::wire {

// "a, b, c".
[[nodiscard]] std::string comma_list(const std::vector<std::string>& words);

// Untrusted text, made safe for a message: at most 60 bytes, nothing unprintable, in quotes.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace aliquot::wire
