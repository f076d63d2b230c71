// "Did you mean ...?": the known word that is nearest to what was written.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace aliquot {

// By edit distance (insert, delete, replace, swap neighbours), case ignored; none if nothing is near.
[[nodiscard]] std::optional<std::string> nearest(std::string_view written,
                                                 std::span<const std::string> known);

}  // namespace aliquot
