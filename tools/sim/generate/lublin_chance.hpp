// The random numbers of the Lublin-Feitelson program: POSIX's 48-bit linear congruential generator
// (srand48, drand48), and gamma variates made of it in the program's own order of draws.
//
// Only for workloads that must equal the program's to the bit; the state is a value, nothing is shared.
// Source: IEEE Std 1003.1, drand48; U. Lublin, D. Feitelson, JPDC 63 (2003); M. Joehnk's method for the
// part of the shape that is no whole number.
#pragma once

#include <cmath>
#include <cstdint>

namespace aliquot {

struct GammaShape {
  double shape = 1;
  double scale = 1;
};

class LublinChance {
 public:
  explicit LublinChance(std::uint32_t seed) : state_((std::uint64_t{seed} << 16) | 0x330E) {}

  // In [0, 1).
  double uniform() {
    state_ = (state_ * 0x5DEECE66DU + 0xBU) & ((std::uint64_t{1} << 48) - 1);
    return std::ldexp(static_cast<double>(state_), -48);
  }

  double gamma(const GammaShape& of) {
    const double whole = std::floor(of.shape);
    double sum = 0;
    for (double k = 0; k < whole; ++k) sum += -std::log(uniform());
    sum *= of.scale;
    const double rest = of.shape - whole;
    if (rest <= 0) return sum;
    double x = 0;
    double y = 0;
    do {
      x = std::pow(uniform(), 1 / rest);
      y = std::pow(uniform(), 1 / (1 - rest));
    } while (x + y > 1);
    return sum + of.scale * (x / (x + y)) * -std::log(uniform());
  }

 private:
  std::uint64_t state_;
};

}  // namespace aliquot
