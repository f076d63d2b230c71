// One line of CSV into its fields, and a field into text (RFC 4180, except that a field does not go over
// several lines).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

[[nodiscard]] Result<std::vector<std::string>> split_csv(std::string_view line);

// A field as split_csv reads it back: quoted where it must be, quotes doubled. Spaces at the ends would be
// trimmed without quotes.
[[nodiscard]] std::string csv_field(const std::string& text);

}  // namespace aliquot
