// Speed-up models as people write them:
//
//   perfect               as fast as there are tasks
//   amdahl:0.05           a serial fraction of 0.05
//   downey:16:0.5         an average parallelism of 16, a variance sigma of 0.5
//   table:2=1.9,4=3.5     measured: with 4 tasks 3.5 times as fast as with one
//
// Errors: anything else (invalid_argument), with what may be written.
#pragma once

#include <string>
#include <string_view>

#include "policies/moldable/speedup.hpp"

namespace aliquot::moldable {

inline constexpr std::size_t kLongestSpeedup = 4096;  // characters

[[nodiscard]] Result<SpeedupModel> parse_speedup(std::string_view text);

}  // namespace aliquot::moldable
