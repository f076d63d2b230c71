// One line of CSV into its fields (RFC 4180, except that a field does not go over several lines).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

[[nodiscard]] Result<std::vector<std::string>> split_csv(std::string_view line);

}  // namespace aliquot
