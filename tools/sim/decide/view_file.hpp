// The text of a view, from a file, a pipe, or standard input ("-"): bounded, read whole.
#pragma once

#include <string>

#include "policies/model/error.hpp"

namespace aliquot {

// Errors name the path: it cannot be read, or has more bytes than any view (1 GiB).
[[nodiscard]] Result<std::string> read_view_text(const std::string& path);

}  // namespace aliquot
