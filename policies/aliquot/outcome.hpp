// What a draft would come to: the largest stretch that ALIQUOT predicts of any of its jobs.
#pragma once

#include "policies/aliquot/board.hpp"

namespace aliquot {

// Of the jobs that are placed if all went at full speed from now on: no shares can do better.
[[nodiscard]] double stretch_at_full_speed(const Draft& draft, const Outlooks& outlooks);

// Of the jobs that are placed.
[[nodiscard]] double stretch_of_placed(const Draft& draft, const Outlooks& outlooks, Yield floor);

// Hundredths, as they are noted.
[[nodiscard]] std::int32_t hundredths(double stretch);

}  // namespace aliquot
