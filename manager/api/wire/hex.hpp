// Bytes as pairs of hexadecimal digits, for JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace aliquot::wire {

[[nodiscard]] std::string to_hex(std::string_view bytes);
// None: it is not pairs of 0-9 a-f.
[[nodiscard]] std::optional<std::string> from_hex(std::string_view hex);

}  // namespace aliquot::wire
