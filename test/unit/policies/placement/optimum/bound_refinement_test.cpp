// The refined bound against the optimum by trying everything: never below it, from any incumbent.
#include "policies/placement/solver/bound_refinement.hpp"

#include <gtest/gtest.h>

#include "policies/placement/solver/class_prices.hpp"
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

TEST(BoundRefinement, the_bound_is_never_below_the_optimum) {
  int tighter = 0;
  for (std::uint64_t seed = 0; seed < kSystems; ++seed) {
    const Instance system = small_system(seed);
    const Value optimum = test::naive_optimum(system);
    Placer placer(system);
    const FreeCapacity capacity = free_capacity(system);
    const Relaxation relaxation = relax(placer, capacity);
    for (const Value incumbent : {Value{0}, optimum / 2, optimum}) {
      for (const std::uint64_t cells : {std::uint64_t{1}, std::uint64_t{1'000'000}}) {
        const RefinedBound refined = refine_bound(placer, capacity, relaxation, incumbent, cells);
        ASSERT_GE(refined.bound, optimum)
            << "seed " << seed << ", " << cells << " cells, from " << static_cast<double>(incumbent);
        tighter += refined.bound < whole(relaxation.bound) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(tighter, 50) << "else the refinement is of no use";
}

TEST(ClassPrices, give_a_bound_whatever_they_are) {
  int tighter = 0;
  for (std::uint64_t seed = 0; seed < kSystems; ++seed) {
    const Instance system = small_system(seed);
    const Value optimum = test::naive_optimum(system);
    Placer placer(system);
    const FreeCapacity capacity = free_capacity(system);
    const Relaxation relaxation = relax(placer, capacity);
    const ClassPrices prices(system, capacity, relaxation);
    for (const std::uint32_t base : prices.bases()) {
      for (const std::int64_t weight : {1, 40, 1000}) {
        // All that fit the CPU, tried out one by one: no rounding of a linear program in between.
        const ItemValues values = prices.with_prices(base, weight);
        Value best = 0;
        for (std::uint32_t set = 0; set < std::uint32_t{1} << relaxation.items.size(); ++set) {
          Value value = 0;
          std::int64_t cpu = relaxation.capacity[kCpu];
          for (std::size_t i = 0; i < relaxation.items.size(); ++i) {
            if ((set >> i & 1) == 0) continue;
            value += values.of_item[i];
            cpu -= relaxation.items[i].demand[kCpu];
          }
          if (cpu >= 0) best = std::max(best, value);
        }
        ASSERT_GE(whole(best + values.constant), optimum) << "seed " << seed << ", base " << base;
        tighter += whole(best + values.constant) < whole(relaxation.bound) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(tighter, 10);
}

}  // namespace
}  // namespace aliquot::ip
