// Which of some sizes are not above an amount, as bits: what a search of the knapsack asks at every step.
//
// Amounts are looked up by buckets, each of which names all that fits its largest amount: whoever is named
// may still be a little too large, and whoever is not named certainly is. Sizes and amounts are at least 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aliquot {

class FittingShapes {
 public:
  // For amounts up to `largest`, which no size exceeds; nothing is in it yet.
  void start(std::int64_t largest, std::size_t shapes);
  // By place below `shapes`. After the last, `finish`.
  void add(std::size_t place, std::int64_t size) {
    bits_[bucket(size) * words_ + place / 64] |= std::uint64_t{1} << place % 64;
  }
  void finish();

  // Of the places from 64 x word on.
  [[nodiscard]] std::uint64_t word(std::int64_t amount, std::size_t word) const {
    return bits_[bucket(amount) * words_ + word];
  }
  [[nodiscard]] std::size_t words() const { return words_; }

 private:
  [[nodiscard]] std::size_t bucket(std::int64_t amount) const {
    return static_cast<std::size_t>(amount >> shift_);
  }

  std::vector<std::uint64_t> bits_;  // by bucket and word
  std::size_t words_ = 0;
  int shift_ = 0;
};

}  // namespace aliquot
