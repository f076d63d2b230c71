#include "policies/packing/exact/fitting_shapes.hpp"

#include <gtest/gtest.h>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

TEST(FittingShapes, name_all_that_fits_and_little_else) {
  FittingShapes fitting;
  std::size_t named = 0;
  std::size_t in_vain = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    test::Dice dice(seed);
    const std::int64_t largest =
        dice.chance(20) ? dice.between(0, 200) : dice.between(1, 1'000'000'000'000);
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(dice.between(1, 200)));
    fitting.start(largest, sizes.size());
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      sizes[s] = dice.between(0, largest);
      fitting.add(s, sizes[s]);
    }
    fitting.finish();
    for (const std::int64_t amount : {std::int64_t{0}, dice.between(0, largest), largest}) {
      for (std::size_t s = 0; s < 64 * fitting.words(); ++s) {
        const bool is_named = (fitting.word(amount, s / 64) >> s % 64 & 1) != 0;
        const bool fits = s < sizes.size() && sizes[s] <= amount;
        ASSERT_TRUE(is_named || !fits) << "seed " << seed;
        ASSERT_TRUE(s < sizes.size() || !is_named) << "seed " << seed;
        named += is_named ? 1 : 0;
        in_vain += is_named && !fits ? 1 : 0;
      }
    }
  }
  EXPECT_LT(in_vain * 30, named);
}

}  // namespace
}  // namespace aliquot
