// SHA-1 (FIPS 180-4) of a short text, for name-based UUIDs (RFC 4122, version 5) and nothing else: it is
// no longer fit to protect anything.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace aliquot {

[[nodiscard]] std::array<std::uint8_t, 20> sha1(std::string_view text);

}  // namespace aliquot
