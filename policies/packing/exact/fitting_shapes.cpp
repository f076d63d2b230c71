#include "policies/packing/exact/fitting_shapes.hpp"

#include <algorithm>
#include <bit>

namespace aliquot {

namespace {

constexpr int kBucketBits = 7;  // so many buckets that few are named in vain

}  // namespace

void FittingShapes::start(std::int64_t largest, std::size_t shapes) {
  words_ = (shapes + 63) / 64;
  shift_ = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest))) - kBucketBits);
  bits_.assign((bucket(largest) + 1) * words_, 0);
}

// What fits less fits more.
void FittingShapes::finish() {
  for (std::size_t b = words_; b < bits_.size(); ++b) bits_[b] |= bits_[b - words_];
}

}  // namespace aliquot
