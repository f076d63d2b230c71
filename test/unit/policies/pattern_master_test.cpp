#include "policies/packing/exact/pattern_master.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;
using Column = PatternMaster::Column;

struct Program {
  std::vector<Column> columns;
  std::vector<char> usable;
  std::vector<std::int64_t> demand;
  std::vector<std::int64_t> nodes;
  std::vector<std::uint32_t> alone;
};

// Some patterns of a few shapes; the first ones are of one shape each.
Program random_program(Dice& dice) {
  Program made;
  const auto shapes = static_cast<std::uint32_t>(dice.between(1, 12));
  const auto kinds = static_cast<std::uint32_t>(dice.between(1, 3));
  for (std::uint32_t k = 0; k < kinds; ++k) made.nodes.push_back(dice.between(1, 40));
  for (std::uint32_t s = 0; s < shapes; ++s) {
    made.demand.push_back(dice.between(1, 60));
    const auto kind = static_cast<std::uint32_t>(dice.between(0, kinds - 1));
    made.alone.push_back(s);
    made.columns.push_back({kind, {{s, static_cast<std::uint32_t>(dice.between(1, 3))}}});
  }
  for (std::int64_t more = dice.between(0, 60); more > 0; --more) {
    Column column{static_cast<std::uint32_t>(dice.between(0, kinds - 1)), {}};
    for (std::uint32_t s = 0; s < shapes; ++s) {
      if (dice.chance(30)) column.pattern.push_back({s, static_cast<std::uint32_t>(dice.between(1, 3))});
    }
    if (!column.pattern.empty()) made.columns.push_back(column);
  }
  made.usable.assign(made.columns.size(), 1);
  return made;
}

// Is everything covered by the amounts, on no more than L times the nodes?
void expect_covers(const Program& program, const PatternMaster& master, double load) {
  std::vector<double> covered(program.demand.size(), 0);
  std::vector<double> filled(program.nodes.size(), 0);
  for (const PatternMaster::Amount& amount : master.amounts()) {
    const Column& column = program.columns[amount.column];
    EXPECT_NE(0, program.usable[amount.column]);
    EXPECT_GT(amount.nodes, 0);
    filled[column.kind] += amount.nodes;
    for (const ShapeUnits& part : column.pattern) covered[part.shape] += amount.nodes * part.units;
  }
  for (std::size_t s = 0; s < covered.size(); ++s) {
    EXPECT_GE(covered[s], static_cast<double>(program.demand[s]) - 1e-6);
  }
  for (std::size_t k = 0; k < filled.size(); ++k) {
    EXPECT_LE(filled[k], load * static_cast<double>(program.nodes[k]) + 1e-6);
  }
}

constexpr std::uint64_t kPlenty = 1'000'000'000;

// From nothing to the least load; false: there was not enough work left.
bool solve(const Program& program, PatternMaster& master, std::uint64_t& work) {
  master.start(program.columns, program.usable, program.demand, program.nodes, program.alone);
  return master.improve(work);
}

// By a master that knows nothing: the reference of one that goes on.
double load_anew(const Program& program) {
  PatternMaster master;
  std::uint64_t work = kPlenty;
  EXPECT_TRUE(solve(program, master, work));
  expect_covers(program, master, master.load());
  return master.load();
}

TEST(PatternMaster, asked_again_for_less_it_finds_what_a_new_one_finds) {
  int again = 0;
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    Dice dice(seed);
    Program program = random_program(dice);
    PatternMaster master;
    std::uint64_t work = kPlenty;
    ASSERT_TRUE(solve(program, master, work));
    const std::vector<std::int64_t> all = program.nodes;
    for (int times = 0; times < 4; ++times) {
      for (std::int64_t& demand : program.demand)
        demand = std::max<std::int64_t>(1, demand - dice.between(-5, 20));
      // One kind only is scaled by L alone: of several, L also counts the nodes gone of each.
      if (all.size() == 1) program.nodes[0] = dice.between(1, all[0] + 3);
      if (!master.ask_again(program.demand, program.nodes, work)) continue;
      ASSERT_TRUE(master.improve(work));
      ++again;
      double load = master.load();
      if (all.size() == 1) {
        const auto gone = static_cast<double>(all[0] - program.nodes[0]);
        load = (load * static_cast<double>(all[0]) - gone) / static_cast<double>(program.nodes[0]);
      }
      ASSERT_NEAR(load_anew(program), load, 1e-6) << "seed " << seed;
      expect_covers(program, master, load);
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(again, 12'000);
}

TEST(PatternMaster, asked_again_on_fewer_nodes_of_several_kinds_it_fits_if_a_new_one_does) {
  int fit = 0;
  int again = 0;
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    Dice dice(seed);
    Program program = random_program(dice);
    PatternMaster master;
    std::uint64_t work = kPlenty;
    ASSERT_TRUE(solve(program, master, work));
    for (std::int64_t& demand : program.demand) demand = dice.between(1, 1 + demand / 2);
    for (std::int64_t& nodes : program.nodes) nodes = dice.between(1, nodes);
    if (!master.ask_again(program.demand, program.nodes, work)) continue;
    ASSERT_TRUE(master.improve(work));
    ++again;
    const double anew = load_anew(program);
    if (anew > 1 - 1e-6 && anew < 1 + 1e-6) continue;
    ASSERT_EQ(anew < 1, master.load() < 1) << "seed " << seed;
    fit += anew < 1 ? 1 : 0;
  }
  EXPECT_GT(fit, again / 10);
  EXPECT_LT(fit, again * 9 / 10);
}

TEST(PatternMaster, looks_at_columns_that_come_later) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    Dice dice(seed);
    Program program = random_program(dice);
    const std::vector<Column> later(program.columns.begin() + program.demand.size(), program.columns.end());
    program.columns.resize(program.demand.size());
    program.usable.resize(program.demand.size());
    PatternMaster master;
    std::uint64_t work = kPlenty;
    ASSERT_TRUE(solve(program, master, work));
    for (const Column& column : later) {
      program.columns.push_back(column);
      program.usable.push_back(1);
      if (dice.chance(30)) {
        ASSERT_TRUE(master.improve(work));
      }
    }
    ASSERT_TRUE(master.improve(work));
    ASSERT_NEAR(load_anew(program), master.load(), 1e-6) << "seed " << seed;
    // All that rested is looked at once it is usable, by who is told so.
    for (std::size_t c = program.demand.size(); c < program.columns.size(); ++c) {
      if (dice.chance(50)) program.usable[c] = 0;
    }
    master.start(program.columns, program.usable, program.demand, program.nodes, program.alone);
    ASSERT_TRUE(master.improve(work));
    program.usable.assign(program.columns.size(), 1);
    master.look_anew();
    ASSERT_TRUE(master.improve(work));
    ASSERT_NEAR(load_anew(program), master.load(), 1e-6) << "seed " << seed;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(PatternMaster, a_step_aside_covers_all_within_the_load_allowed) {
  int steps = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    Dice dice(seed);
    const Program program = random_program(dice);
    PatternMaster master;
    std::uint64_t work = kPlenty;
    ASSERT_TRUE(solve(program, master, work));
    const double least = master.load();
    const double most = least * (dice.chance(50) ? 1 + 1e-9 : 1.05);
    for (int times = 0; times < 5; ++times) {
      const auto before = master.amounts();
      if (!master.step_aside(most, work)) break;
      ++steps;
      ASSERT_LE(master.load(), most + 1e-12) << "seed " << seed;
      expect_covers(program, master, master.load());
      const auto after = master.amounts();
      const bool another = !std::ranges::equal(before, after, [](const auto& a, const auto& b) {
        return a.column == b.column && a.nodes == b.nodes;
      });
      ASSERT_TRUE(another) << "seed " << seed;
    }
    ASSERT_TRUE(master.improve(work));
    ASSERT_NEAR(least, master.load(), 1e-6) << "seed " << seed;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(steps, 1'000);
}

TEST(PatternMaster, passes_over_what_is_not_usable) {
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    Dice dice(seed);
    Program program = random_program(dice);
    PatternMaster master;
    std::uint64_t work = kPlenty;
    ASSERT_TRUE(solve(program, master, work));
    for (std::size_t c = program.demand.size(); c < program.columns.size(); ++c) {
      if (dice.chance(20)) program.usable[c] = 0;
    }
    bool stands = true;
    for (const PatternMaster::Amount& amount : master.amounts()) {
      stands = stands && program.usable[amount.column] != 0;
    }
    if (!stands) {
      ASSERT_FALSE(master.can_stand()) << "seed " << seed;
    }
    (void)load_anew(program);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(PatternMaster, does_without_what_is_not_usable_any_longer) {
  int without = 0;
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    Dice dice(seed);
    Program program = random_program(dice);
    PatternMaster master;
    std::uint64_t work = kPlenty;
    ASSERT_TRUE(solve(program, master, work));
    for (int times = 0; times < 3; ++times) {
      for (std::size_t c = program.demand.size(); c < program.columns.size(); ++c) {
        program.usable[c] = dice.chance(70) ? 1 : 0;  // some come back
      }
      master.look_anew();
      const bool stood = master.can_stand();
      if (!master.do_without(work)) break;
      without += stood ? 0 : 1;
      ASSERT_TRUE(master.can_stand()) << "seed " << seed;
      expect_covers(program, master, master.load());
      ASSERT_TRUE(master.improve(work));
      ASSERT_NEAR(load_anew(program), master.load(), 1e-6) << "seed " << seed;
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(without, 4'000);
}

}  // namespace
}  // namespace aliquot
