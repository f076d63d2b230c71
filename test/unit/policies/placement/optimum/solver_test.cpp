// IPSCHED with a general solver behind the same interface: lawful plans, the same answer twice, and bounds
// that agree with those of the fast path.
#include <gtest/gtest.h>

#include "monitor/record/plan_check.hpp"
#include "policies/placement/collective.hpp"
#include "policies/placement/solver/fast.hpp"
#include "test/support/random_system.hpp"
#include "test/support/random_view.hpp"
#include "tools/sim/solver/general_solver.hpp"

namespace aliquot {
namespace {

using Solver = CollectiveSpec::Solver;

std::unique_ptr<Collective> ipsched(Solver which) {
  CollectiveSpec spec;
  spec.solver = which;
  return std::make_unique<Collective>(spec, general_solver(which).value());
}

TEST(GeneralSolver, bounds_and_incumbents_of_all_three_agree) {
  const auto fast = general_solver(Solver::fast).value();
  const auto selection = general_solver(Solver::selection).value();
  const auto exact = general_solver(Solver::exact).value();
  int optimal = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    test::SystemShape shape;
    shape.most_nodes = 8;
    shape.most_jobs = 4;
    shape.most_cores = 4;
    const ip::Instance system = test::random_system(seed, shape);
    const ip::Answer a = fast(system, ip::kUsualEffort);
    const ip::Answer b = selection(system, ip::kUsualEffort);
    const ip::Answer c = exact(system, ip::kUsualEffort);
    ASSERT_TRUE(c.finished);
    for (const ip::Answer* one : {&a, &b, &c}) {
      ASSERT_LE(one->incumbent, c.bound) << "seed " << seed << ": the exact bound is the optimum";
      ASSERT_GE(one->bound, c.incumbent) << "seed " << seed;
      ASSERT_GE(one->gap(), 0.0);
    }
    if (c.incumbent == c.bound) ++optimal;
  }
  EXPECT_GE(optimal, 55) << "the set that the exact solver chooses is packed";
}

TEST(GeneralSolver, decides_lawfully_and_the_same_twice) {
  for (const Solver which : {Solver::selection, Solver::exact}) {
    const auto policy = ipsched(which);
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
      ClusterView view = test::random_view(seed);
      view.cause.tick = true;
      const Plan plan = policy->decide(view);
      const auto broken = check_plan(view, plan);
      ASSERT_TRUE(broken.empty()) << policy->name() << ", seed " << seed << ": " << broken.front().text;
      const Plan again = policy->decide(view);
      ASSERT_EQ(plan.changes.size(), again.changes.size());
      for (std::size_t i = 0; i < plan.changes.size(); ++i) {
        ASSERT_EQ(plan.changes[i].job, again.changes[i].job);
        ASSERT_EQ(plan.changes[i].placement, again.changes[i].placement);
      }
      const auto proven = policy->proven_gap(view);
      ASSERT_TRUE(proven);
      EXPECT_LE(proven->incumbent, proven->bound);
    }
  }
}

TEST(GeneralSolver, that_cannot_write_the_problem_down_says_that_it_is_not_finished) {
  ip::Instance large;
  large.nodes = 4;
  large.kinds = {{}};
  ip::NodeClass nodes;
  nodes.free.cpu = 8;
  nodes.count = 4;
  large.classes = {nodes};
  large.requests.resize(40);  // more jobs than the exact formulation takes
  const ip::Answer answer = general_solver(Solver::exact).value()(large, ip::kUsualEffort);
  EXPECT_FALSE(answer.finished);
  EXPECT_EQ(answer.chosen.size(), 32U);
  EXPECT_GE(answer.bound, answer.incumbent);
}

}  // namespace
}  // namespace aliquot
