// The dependencies of a job as users write them: "ok:7,any:8:9" is to wait until job 7 has completed and
// jobs 8 and 9 have ended.
#pragma once

#include <string>
#include <vector>

#include "monitor/record/submission.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

inline constexpr std::size_t kLongestDependencies = 4096;  // of the text

// An error says what is wrong and shows how dependencies are written.
[[nodiscard]] Result<std::vector<Dependency>> parse_dependencies(const std::string& text);
// Parses back to the same.
[[nodiscard]] std::string print_dependencies(const std::vector<Dependency>& after);

}  // namespace aliquot
