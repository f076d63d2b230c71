// Reads a small, untrusted text file: of bounded size, regular, UTF-8, without control characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "config/fault.hpp"

namespace aliquot {

// A fault if it is a directory or a device, cannot be read, or is larger than `limit` bytes.
[[nodiscard]] tl::expected<std::string, Fault> read_file_text(const std::string& path, std::size_t limit);

// A fault for the first byte that is not text; the column counts characters.
[[nodiscard]] tl::expected<void, Fault> check_text(std::string_view text, const std::string& file);

}  // namespace aliquot
