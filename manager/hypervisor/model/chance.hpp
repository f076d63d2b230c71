// A counter-based generator: a number is a function of the seed and of what it is drawn for, so that one
// more draw somewhere changes nothing elsewhere.
#pragma once

#include <cstdint>

namespace aliquot {

class Chance {
 public:
  explicit constexpr Chance(std::uint64_t seed) : seed_(seed) {}

  // Uniform in 64 bits.
  [[nodiscard]] constexpr std::uint64_t draw(std::uint64_t a, std::uint64_t b,
                                             std::uint64_t purpose) const {
    return mix(mix(mix(mix(seed_) ^ a) ^ b) ^ purpose);
  }
  [[nodiscard]] constexpr bool happens(std::uint32_t per_million, std::uint64_t a, std::uint64_t b,
                                       std::uint64_t purpose) const {
    return per_million > 0 && draw(a, b, purpose) % 1'000'000 < per_million;
  }
  // In [0, most].
  [[nodiscard]] constexpr std::int64_t up_to(std::int64_t most, std::uint64_t a, std::uint64_t b,
                                             std::uint64_t purpose) const {
    if (most <= 0) return 0;
    return static_cast<std::int64_t>(draw(a, b, purpose) % (static_cast<std::uint64_t>(most) + 1));
  }

 private:
  // The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
  static constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }
  std::uint64_t seed_;
};

}  // namespace aliquot
