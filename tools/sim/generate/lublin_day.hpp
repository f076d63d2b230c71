// The daily cycle of the Lublin-Feitelson model: how many arrivals each half hour of the day draws.
#pragma once

#include <array>

#include "tools/sim/generate/lublin_chance.hpp"

namespace aliquot {

// By half hour, the first from midnight; the mean is 1.
using LublinDay = std::array<double, 48>;

// The gamma distribution counts half hours from 05:00 (index 10), where the cycle is at its lowest.
[[nodiscard]] LublinDay lublin_day(const GammaShape& shape);

}  // namespace aliquot
