// The text of a small file from outside: bounded, regular, UTF-8, without control characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "config/fault.hpp"

namespace aliquot {

// One fault instead of the text if it is a directory or a device, cannot be read, or is above `limit`
// bytes.
[[nodiscard]] tl::expected<std::string, Fault> read_file_text(const std::string& path, std::size_t limit);

// The first byte that is no text, as a fault; the place is counted in characters.
[[nodiscard]] tl::expected<void, Fault> check_text(std::string_view text, const std::string& file);

}  // namespace aliquot
