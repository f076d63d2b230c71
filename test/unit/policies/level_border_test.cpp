#include "policies/packing/exact/level_border.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;

// Loads in stairs, as the program's are: between two levels at which a pattern begins to fit nothing
// changes.
struct Stairs {
  std::vector<std::int64_t> levels;  // downwards; at or below each the load is that of its place
  std::vector<double> loads;

  static Stairs random(Dice& dice) {
    Stairs made;
    std::int64_t level = dice.between(1, 1'000'000);
    double load = 1 + 0.0001 * static_cast<double>(dice.between(0, 4'000));
    while (level > 0) {
      made.levels.push_back(level);
      made.loads.push_back(load);
      if (load <= 1) break;
      level -= dice.between(1, 1 + level / dice.between(2, 200));
      load -= (load - 0.999) / static_cast<double>(dice.between(1, 40));
    }
    return made;
  }
  [[nodiscard]] std::size_t step_of(Yield level) const {
    std::size_t step = 0;
    while (step + 1 < levels.size() && levels[step + 1] >= level.raw) ++step;
    return step;
  }
};

// The highest level whose load is at most 1; 0: none.
std::int64_t by_looking_at_all(const Stairs& stairs) {
  for (std::size_t step = 0; step < stairs.levels.size(); ++step) {
    if (stairs.loads[step] <= 1) return stairs.levels[step];
  }
  return 0;
}

// As YieldProblem goes: answers how many probes it took.
int search(const Stairs& stairs, LevelBorder& border) {
  int probes = 0;
  for (Yield level = border.bound;; level = border.next_probe()) {
    EXPECT_GE(level.raw, 1);
    EXPECT_LE(level, border.bound);
    if (++probes > 1'000) return probes;
    const std::size_t step = stairs.step_of(level);
    const bool last = step + 1 == stairs.levels.size();
    if (stairs.loads[step] <= 1) {
      if (level == border.bound) return probes;
      border.fits_at(Yield{stairs.levels[step]});
      if (!border.tight) border.ends_at(Yield{stairs.levels[stairs.step_of(border.proven) + 1]});
    } else {
      if (last) {
        border.bound = Yield{0};
        return probes;
      }
      border.exceeds_at(level, stairs.loads[step]);
      if (!border.leaps()) border.ends_at(Yield{stairs.levels[step + 1]});
    }
    if (border.bound <= border.fits) return probes;
  }
}

TEST(LevelBorder, ends_where_looking_at_all_levels_ends) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    const Stairs stairs = Stairs::random(dice);
    const Yield top{stairs.levels.front()};
    LevelBorder border{top, Yield{0}, top};
    (void)search(stairs, border);
    ASSERT_EQ(by_looking_at_all(stairs), border.bound.raw) << "seed " << seed;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(LevelBorder, takes_few_probes_where_there_are_many_steps) {
  double probes = 0;
  double steps = 0;
  for (std::uint64_t seed = 0; seed < 5'000; ++seed) {
    Dice dice(seed);
    const Stairs stairs = Stairs::random(dice);
    if (stairs.levels.size() < 20 || stairs.loads.back() > 1) continue;
    const Yield top{stairs.levels.front()};
    LevelBorder border{top, Yield{0}, top};
    probes += search(stairs, border);
    steps += static_cast<double>(stairs.levels.size());
  }
  EXPECT_GT(steps, 0);
  EXPECT_LT(probes, steps / 3);
}

TEST(LevelBorder, never_looks_below_what_is_known_to_fit) {
  LevelBorder border{Yield{500'000}, Yield{480'000}, Yield{500'000}};
  border.exceeds_at(Yield{500'000}, 1.2);
  EXPECT_TRUE(border.leaps());
  EXPECT_EQ(Yield{489'999}, border.next_probe());  // the middle: the load alone would tell 400'000
}

}  // namespace
}  // namespace aliquot
