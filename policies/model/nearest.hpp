// "Did you mean ...?": the known word that is nearest to what was written. Pure; for messages only: nothing
// is ever done to a word that was guessed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace aliquot {

// The edit distance, case ignored: how many letters were put in, left out, replaced, or swapped with their
// neighbour (optimal string alignment). Takes time and memory of the product of the lengths.
[[nodiscard]] std::size_t slips_between(std::string_view a, std::string_view b);

// The word with the fewest slips, the first of several; none if all are further away than a third of what
// was written, or if that is empty or above 64 letters.
[[nodiscard]] std::optional<std::string> nearest(std::string_view written,
                                                 std::span<const std::string> known);

// "; did you mean `tasks`?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view written, std::span<const std::string> known);

}  // namespace aliquot
