// Numbers of a Gaussian distribution by counter: a number is a function of the seed and of what it is drawn
// for. Box and Muller's method, the cosine alone.
#pragma once

#include <cmath>
#include <numbers>

#include "manager/hypervisor/model_chance.hpp"

namespace aliquot {

// In [0, 1), of 53 bits.
[[nodiscard]] inline double uniform(const Chance& chance, std::uint64_t of, std::uint64_t purpose) {
  return std::ldexp(static_cast<double>(chance.draw(of, 0, purpose) >> 11), -53);
}

// Mean 0, standard deviation 1. Uses the purposes `purpose` and `purpose` + 1.
[[nodiscard]] inline double gaussian(const Chance& chance, std::uint64_t of, std::uint64_t purpose) {
  const double radius = std::sqrt(-2 * std::log(1 - uniform(chance, of, purpose)));
  return radius * std::cos(2 * std::numbers::pi * uniform(chance, of, purpose + 1));
}

}  // namespace aliquot
