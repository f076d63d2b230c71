// Job arrays as users write them: "0-999%50" is a thousand members, of which at most 50 stand at any time;
// "1,3,5-9:2" names the indices 1, 3, 5, 7 and 9.
#pragma once

#include <string>

#include "monitor/record/job_array.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

inline constexpr std::size_t kLongestArray = 16'384;  // of the text

// An error says what is wrong and shows how indices are written.
[[nodiscard]] Result<IndexSet> parse_indices(const std::string& text);
[[nodiscard]] Result<ArrayTerms> parse_array(const std::string& text);
// Parse back to the same.
[[nodiscard]] std::string print_indices(const IndexSet& set);
[[nodiscard]] std::string print_array(const ArrayTerms& terms);

}  // namespace aliquot
