// Random numbers by seed (splitmix64), the same on every platform.
#pragma once

#include <cmath>
#include <cstdint>

namespace aliquot {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  // Uniform in [0, 1), of 53 bits.
  double unit() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  // Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(unit() * static_cast<double>(high - low + 1));
  }

 private:
  std::uint64_t state_;
};

// Lublin and Feitelson's two-stage uniform distribution of log2(size), typeless stream, 128 nodes.
[[nodiscard]] inline std::uint32_t lublin_size(Draws& draws) {
  constexpr double kSerial = 0.244, kPowerOfTwo = 0.576, kLow = 0.8, kMiddle = 4.5, kHigh = 7,
                   kFirst = 0.86;
  const double kind = draws.unit();
  if (kind <= kSerial) return 1;
  const bool first = draws.unit() <= kFirst;
  const double from = first ? kLow : kMiddle;
  double log2_size = from + draws.unit() * ((first ? kMiddle : kHigh) - from);
  if (kind <= kSerial + kPowerOfTwo) log2_size = std::floor(log2_size + 0.5);
  return static_cast<std::uint32_t>(std::floor(std::exp2(log2_size) + 0.5));
}

}  // namespace aliquot
