#include "policies/packing/exact/restricted_master.hpp"

#include <gtest/gtest.h>

#include "test/support/random_view.hpp"
#include "test/support/reference_simplex.hpp"

namespace aliquot {
namespace {

using test::Dice;
using Numbers = std::vector<double>;
using Part = RestrictedMaster::Part;

constexpr std::uint64_t kPlenty = 1'000'000'000;

struct Column {
  std::uint32_t kind = 0;
  std::vector<Part> parts;
  bool usable = true;
};

// Some patterns of a few shapes; the first ones are of one shape each.
struct Program {
  std::vector<Column> columns;
  Numbers demand;
  Numbers nodes;
  std::vector<std::uint32_t> single;

  [[nodiscard]] RestrictedMaster master() const {
    RestrictedMaster master(demand.size(), nodes.size());
    for (const Column& column : columns) (void)master.add(column.kind, column.parts);
    return master;
  }
};

double number(Dice& dice, std::int64_t least, std::int64_t most) {
  return static_cast<double>(dice.between(least, most));
}

Program random_program(Dice& dice) {
  Program made;
  const auto shapes = static_cast<std::uint32_t>(dice.between(1, 12));
  const auto kinds = static_cast<std::uint32_t>(dice.between(1, 3));
  const double grain = dice.chance(50) ? 1 : 0.25;  // units may be fractions
  const auto some_kind = [&] { return static_cast<std::uint32_t>(dice.between(0, kinds - 1)); };
  for (std::uint32_t k = 0; k < kinds; ++k) made.nodes.push_back(number(dice, 1, 40));
  for (std::uint32_t s = 0; s < shapes; ++s) {
    made.demand.push_back(number(dice, s == 0 ? 1 : 0, 60));
    made.single.push_back(s);
    made.columns.push_back({some_kind(), {{s, grain * number(dice, 1, 3)}}});
  }
  for (std::int64_t more = dice.between(0, 60); more > 0; --more) {
    Column column{some_kind(), {}};
    for (std::uint32_t s = 0; s < shapes; ++s) {
      if (dice.chance(30)) column.parts.push_back({s, grain * number(dice, 1, 3)});
    }
    if (!column.parts.empty()) made.columns.push_back(column);
  }
  return made;
}

// By the dual program: the most that all demand is worth where no column is worth more than its node, and
// all nodes together are worth 1.
double load_by_reference(const Program& program) {
  const std::size_t shapes = program.demand.size();
  SmallLp lp;
  lp.gain = program.demand;
  lp.gain.resize(shapes + program.nodes.size());
  Numbers all(lp.gain.size());
  for (std::size_t k = 0; k < program.nodes.size(); ++k) all[shapes + k] = program.nodes[k];
  lp.rows.push_back(all);
  lp.limits.push_back(1);
  for (const Column& column : program.columns) {
    if (!column.usable) continue;
    Numbers row(lp.gain.size());
    for (const Part& part : column.parts) row[part.shape] = part.units;
    row[shapes + column.kind] = -1;
    lp.rows.push_back(row);
    lp.limits.push_back(0);
  }
  const Numbers x = maximize(lp);
  double sum = 0;
  for (std::size_t s = 0; s < shapes; ++s) sum += program.demand[s] * x[s];
  return sum;
}

// All demand is covered by usable columns, on no more than `load` times the nodes.
void expect_covers(const Program& program, const RestrictedMaster& master, double load) {
  Numbers covered(program.demand.size());
  Numbers filled(program.nodes.size());
  for (const RestrictedMaster::Amount& amount : master.amounts()) {
    const Column& column = program.columns[amount.column];
    EXPECT_TRUE(column.usable);
    EXPECT_GT(amount.nodes, 0);
    filled[column.kind] += amount.nodes;
    for (const Part& part : column.parts) covered[part.shape] += amount.nodes * part.units;
  }
  for (std::size_t s = 0; s < covered.size(); ++s) EXPECT_GE(covered[s], program.demand[s] - 1e-6);
  for (std::size_t k = 0; k < filled.size(); ++k) EXPECT_LE(filled[k], load * program.nodes[k] + 1e-6);
}

TEST(RestrictedMaster, finds_the_least_load_and_duals_that_prove_it) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    Dice dice(seed);
    const Program program = random_program(dice);
    RestrictedMaster master = program.master();
    std::uint64_t effort = kPlenty;
    master.start(program.demand, program.nodes, program.single);
    ASSERT_TRUE(master.minimise(effort));
    ASSERT_NEAR(load_by_reference(program), master.load(), 1e-6) << "seed " << seed;
    expect_covers(program, master, master.load());
    double all_nodes = 0;
    double worth = 0;
    for (std::uint32_t k = 0; k < program.nodes.size(); ++k) all_nodes += program.nodes[k];
    for (std::uint32_t s = 0; s < program.demand.size(); ++s) {
      ASSERT_GE(master.value_of_shape(s), -1e-6) << "seed " << seed;
      worth += program.demand[s] * master.value_of_shape(s);
    }
    ASSERT_NEAR(master.load(), worth / all_nodes, 1e-6) << "seed " << seed;
    for (const Column& column : program.columns) {
      double value = 0;
      for (const Part& part : column.parts) value += part.units * master.value_of_shape(part.shape);
      ASSERT_LE(value, master.value_of_node(column.kind) + 1e-6) << "seed " << seed;
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(RestrictedMaster, goes_on_with_columns_that_come_later_and_without_those_that_rest) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    Dice dice(seed);
    Program program = random_program(dice);
    const std::vector<Column> all = program.columns;
    program.columns.resize(program.demand.size());
    RestrictedMaster master = program.master();
    std::uint64_t effort = kPlenty;
    master.start(program.demand, program.nodes, program.single);
    for (std::uint32_t c = master.columns(); c < all.size(); ++c) {
      program.columns.push_back(all[c]);
      program.columns.back().usable = dice.chance(70);
      (void)master.add(all[c].kind, all[c].parts);
      master.set_usable(c, program.columns.back().usable);
      if (dice.chance(30)) {
        ASSERT_TRUE(master.minimise(effort));
      }
    }
    ASSERT_TRUE(master.minimise(effort));
    ASSERT_NEAR(load_by_reference(program), master.load(), 1e-6) << "seed " << seed;
    expect_covers(program, master, master.load());
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(RestrictedMaster, restarted_for_other_demand_and_nodes_it_finds_what_a_new_one_finds) {
  int restarts = 0;
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    Dice dice(seed);
    Program program = random_program(dice);
    RestrictedMaster master = program.master();
    std::uint64_t effort = kPlenty;
    master.start(program.demand, program.nodes, program.single);
    ASSERT_TRUE(master.minimise(effort));
    const Numbers first = program.nodes;
    for (int times = 0; times < 4; ++times) {
      for (double& demand : program.demand) demand = std::max(0.0, demand - number(dice, -5, 20));
      program.demand[0] += 1;
      for (double& nodes : program.nodes) nodes = number(dice, 1, static_cast<std::int64_t>(nodes) + 1);
      if (!master.restart(program.demand, program.nodes, effort)) continue;
      ASSERT_TRUE(master.minimise(effort));
      ++restarts;
      const double anew = load_by_reference(program);
      if (first.size() == 1) {  // L counts the nodes that are gone as filled
        const double gone = first[0] - program.nodes[0];
        const double load = (master.load() * first[0] - gone) / program.nodes[0];
        ASSERT_NEAR(anew, load, 1e-6) << "seed " << seed;
        expect_covers(program, master, load);
      } else if (anew < 1 - 1e-6 || anew > 1 + 1e-6) {  // of several kinds: it fits if it fits
        ASSERT_EQ(anew < 1, master.load() < 1) << "seed " << seed;
      }
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(restarts, 12'000);
}

TEST(RestrictedMaster, is_not_restarted_from_a_column_that_rests) {
  RestrictedMaster master(1, 1);
  const std::vector<Part> one = {{0, 1}};
  (void)master.add(0, one);
  std::uint64_t effort = kPlenty;
  EXPECT_FALSE(master.restart(Numbers{1}, Numbers{1}, effort));  // it has not started
  master.start(Numbers{1}, Numbers{1}, std::vector<std::uint32_t>{0});
  EXPECT_TRUE(master.restart(Numbers{2}, Numbers{1}, effort));
  EXPECT_DOUBLE_EQ(2, master.load());
  master.set_usable(0, false);
  EXPECT_FALSE(master.restart(Numbers{1}, Numbers{1}, effort));
}

}  // namespace
}  // namespace aliquot
