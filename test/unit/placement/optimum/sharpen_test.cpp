// The sharpened bound against the optimum by trying everything: never below it, whatever is known before.
#include "policies/placement/sharpen.hpp"

#include <gtest/gtest.h>

#include "policies/placement/class_costs.hpp"
#include "test/support/naive_optimum.hpp"
#include "test/support/random_system.hpp"

namespace aliquot::ip {
namespace {

constexpr std::uint64_t kSystems = 500;

Instance small_system(std::uint64_t seed) {
  test::SystemShape shape;
  shape.most_nodes = seed % 4 == 0 ? 12 : 8;
  shape.most_jobs = seed % 4 == 0 ? 3 : 4;
  shape.most_cores = 4;
  shape.memory = seed % 8 == 1;
  shape.slices = seed % 8 > 4;
  if (shape.memory) shape.most_nodes = 5;
  return test::random_system(seed, shape);
}

TEST(Sharpen, the_bound_is_never_below_the_optimum) {
  int tighter = 0;
  for (std::uint64_t seed = 0; seed < kSystems; ++seed) {
    const Instance system = small_system(seed);
    const Value optimum = test::naive_optimum(system);
    Placer placer(system);
    const Rooms rooms = rooms_of(system);
    const Relaxation relaxation = relax(placer, rooms);
    for (const Value incumbent : {Value{0}, optimum / 2, optimum}) {
      for (const std::uint64_t cells : {std::uint64_t{1}, std::uint64_t{1'000'000}}) {
        const Sharper sharper = sharpen(placer, rooms, relaxation, incumbent, cells);
        ASSERT_GE(sharper.bound, optimum)
            << "seed " << seed << ", " << cells << " cells, from " << static_cast<double>(incumbent);
        tighter += sharper.bound < whole(relaxation.bound) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(tighter, 50) << "or else it is of no use";
}

TEST(Sharpen, prices_of_classes_give_a_bound_whatever_they_are) {
  int tighter = 0;
  for (std::uint64_t seed = 0; seed < kSystems; ++seed) {
    const Instance system = small_system(seed);
    const Value optimum = test::naive_optimum(system);
    Placer placer(system);
    const Rooms rooms = rooms_of(system);
    const Relaxation relaxation = relax(placer, rooms);
    ClassCosts costs(system, rooms, relaxation);
    for (const std::uint32_t base : costs.bases()) {
      for (const std::int64_t weight : {1, 40, 1000}) {
        // All that fit the CPU, tried out one by one: no rounding of a linear program in between.
        const Worths worths = costs.with_prices(base, weight);
        Value best = 0;
        for (std::uint32_t set = 0; set < std::uint32_t{1} << relaxation.items.size(); ++set) {
          Value worth = 0;
          std::int64_t cpu = relaxation.free[0];
          for (std::size_t i = 0; i < relaxation.items.size(); ++i) {
            if ((set >> i & 1) == 0) continue;
            worth += worths.of_item[i];
            cpu -= relaxation.items[i].takes[0];
          }
          if (cpu >= 0) best = std::max(best, worth);
        }
        ASSERT_GE(whole(best + worths.constant), optimum) << "seed " << seed << ", base " << base;
        tighter += whole(best + worths.constant) < whole(relaxation.bound) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(tighter, 10);
}

}  // namespace
}  // namespace aliquot::ip
