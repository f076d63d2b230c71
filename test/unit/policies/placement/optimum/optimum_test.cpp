// Against the optimum: by trying everything, and by a general solver (IPSCHED, sec. 3).
#include <gtest/gtest.h>

#include <cmath>

#include "policies/placement/solver/fast.hpp"
#include "test/support/naive_optimum.hpp"
#include "test/support/random_system.hpp"
#include "tools/sim/solver/cbc/formulations.hpp"
#include "tools/sim/solver/cbc/solvers.hpp"

namespace aliquot::ip {
namespace {

constexpr std::uint64_t kSystems = 500;
constexpr std::uint64_t kSystemsWithSlices = 200;  // besides

// Up to 12 nodes; few enough jobs and cores to try everything.
Instance tiny_system(std::uint64_t seed) {
  test::SystemShape shape;
  shape.most_nodes = seed % 4 == 0 ? 12 : 8;
  shape.most_jobs = seed % 4 == 0 ? 3 : 4;
  shape.most_cores = 4;
  return test::random_system(seed, shape);
}

TEST(Optimum, exact_equals_naive_and_the_default_is_near_and_never_above_its_bound) {
  double ratios = 0;
  int with_value = 0;
  for (std::uint64_t seed = 0; seed < kSystems; ++seed) {
    const Instance system = tiny_system(seed);
    const auto exact = solve_exact(system);
    ASSERT_TRUE(exact.has_value()) << exact.error().message;
    ASSERT_TRUE(exact->finished) << "seed " << seed;
    ASSERT_TRUE(test::naive_optimum(system) == exact->incumbent) << "seed " << seed;
    const Answer fast = solve_fast(system);
    ASSERT_LE(fast.incumbent, exact->incumbent) << "seed " << seed;
    ASSERT_GE(fast.bound, exact->incumbent) << "seed " << seed;
    if (exact->incumbent == 0) continue;
    ratios += static_cast<double>(fast.incumbent) / static_cast<double>(exact->incumbent);
    ++with_value;
  }
  EXPECT_GT(with_value, 400);
  EXPECT_GE(ratios / with_value, 0.98);
  RecordProperty("mean_share_of_the_optimum", std::to_string(ratios / with_value));
}

// Slices are countable resources of the program: the same laws hold with them.
TEST(Optimum, with_slices_of_devices_exact_equals_naive_and_the_default_is_near) {
  double ratios = 0;
  int with_value = 0;
  int with_slices = 0;
  for (std::uint64_t seed = 0; seed < kSystemsWithSlices; ++seed) {
    test::SystemShape shape;
    shape.most_nodes = seed % 4 == 0 ? 12 : 8;
    shape.most_jobs = seed % 4 == 0 ? 3 : 4;
    shape.most_cores = 4;
    shape.slices = true;
    const Instance system = test::random_system(seed, shape);
    with_slices += system.least_slice < kWholeDevice ? 1 : 0;
    const auto exact = solve_exact(system);
    ASSERT_TRUE(exact.has_value()) << exact.error().message;
    ASSERT_TRUE(exact->finished) << "seed " << seed;
    ASSERT_TRUE(test::naive_optimum(system) == exact->incumbent) << "seed " << seed;
    const Answer fast = solve_fast(system);
    ASSERT_LE(fast.incumbent, exact->incumbent) << "seed " << seed;
    ASSERT_GE(fast.bound, exact->incumbent) << "seed " << seed;
    if (seed % 5 == 0) {
      const auto selection = solve_selection(system);
      ASSERT_TRUE(selection.has_value());
      ASSERT_LE(selection->incumbent, exact->incumbent) << "seed " << seed;
      ASSERT_GE(selection->bound, exact->incumbent) << "seed " << seed;
    }
    if (exact->incumbent == 0) continue;
    ratios += static_cast<double>(fast.incumbent) / static_cast<double>(exact->incumbent);
    ++with_value;
  }
  EXPECT_GT(with_slices, 100);
  EXPECT_GT(with_value, 160);
  EXPECT_GE(ratios / with_value, 0.98);
  RecordProperty("mean_share_of_the_optimum", std::to_string(ratios / with_value));
}

TEST(Optimum, the_naive_program_has_the_value_of_trying_everything) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    test::SystemShape shape;
    shape.most_nodes = 4;
    shape.most_jobs = 3;
    shape.most_cores = 4;
    const Instance system = test::random_system(seed, shape);
    const auto program = naive_program(system);
    ASSERT_TRUE(program.has_value());
    const auto solution = solve(*program, 1'000'000);
    ASSERT_TRUE(solution.has_value() && solution->optimal) << "seed " << seed;
    ASSERT_EQ(static_cast<std::int64_t>(test::naive_optimum(system)), std::llround(solution->value))
        << "seed " << seed;
  }
}

TEST(Optimum, the_set_selection_bounds_it_from_above_and_packs) {
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
    const Instance system = tiny_system(4 * seed + 1);
    const Value optimum = test::naive_optimum(system);
    const auto selection = solve_selection(system);
    ASSERT_TRUE(selection.has_value());
    ASSERT_GE(selection->bound, optimum) << "seed " << seed;
    ASSERT_LE(selection->incumbent, optimum) << "seed " << seed;
  }
}

TEST(Optimum, memory_and_larger_units_count_too) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    test::SystemShape shape;
    shape.most_nodes = 5;
    shape.most_jobs = 3;
    shape.most_cores = 5;
    shape.memory = true;
    const Instance system = test::random_system(seed, shape);
    const auto exact = solve_exact(system);
    ASSERT_TRUE(exact.has_value() && exact->finished) << "seed " << seed;
    ASSERT_TRUE(test::naive_optimum(system) == exact->incumbent) << "seed " << seed;
    const Answer fast = solve_fast(system);
    ASSERT_LE(fast.incumbent, exact->incumbent) << "seed " << seed;
    ASSERT_GE(fast.bound, exact->incumbent) << "seed " << seed;
  }
}

}  // namespace
}  // namespace aliquot::ip
