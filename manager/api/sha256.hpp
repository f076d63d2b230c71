// SHA-256 (FIPS 180-4) of bytes in memory: names archives, and tells one request body from another.
#pragma once

#include <string>
#include <string_view>

namespace aliquot::wire {

// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace aliquot::wire
