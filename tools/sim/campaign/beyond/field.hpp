// Who takes part in `evaluate beyond`, by canonical name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aliquot {

inline constexpr std::string_view kOurs = "ALIQUOT";
// A row of its own: what no schedule can beat (tools/sim/bound). Its only figure is the max stretch.
inline constexpr std::string_view kLowerBound = "LOWER-BOUND";

// The authors' algorithms after DFRS 2010 that were best in their own studies, and in ours.
[[nodiscard]] const std::vector<std::string>& tpds2012_field();
// ALIQUOT with one part turned off, or with a wrong belief.
[[nodiscard]] const std::vector<std::string>& variants_of_ours();
// Over which "best" is taken: the nine and the TPDS 2012 family.
[[nodiscard]] std::vector<std::string> rivals();

}  // namespace aliquot
