// The checker adds up what a plan changes, by list or node by node: against a look at the whole view as it
// would be, and at plans with and without an index.
#include <gtest/gtest.h>

#include "monitor/record/plan_check.hpp"
#include "policies/policy.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

std::vector<std::string> texts(const std::vector<Violation>& violations) {
  std::vector<std::string> found;
  for (const Violation& violation : violations) found.push_back(violation.text);
  return found;
}

TEST(plan_check, finds_on_the_nodes_what_a_look_at_everything_finds) {
  std::size_t refused = 0;
  for (const char* spec : {"DYNMCB8", "GREEDY-PMTN-MIGR", "DYNMCB8-ASAP-PER-600"}) {
    const auto policy = *make_policy(spec);
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      const std::uint32_t most_nodes = seed % 2 == 0 ? 8 : 200;
      const ClusterView view = test::random_view(seed, {.most_nodes = most_nodes, .plain = seed % 3 == 0});
      ClusterView indexed = view;
      indexed.index.rebuild(indexed);
      Plan plan = policy->decide(view);
      test::Dice dice(seed);
      for (Change& change : plan.changes)
        if (!change.placement.empty() && dice.chance(40)) change.yield = kFullYield;
      const auto found = texts(check_plan(view, plan));
      ASSERT_EQ(found, texts(check_plan(indexed, plan))) << spec << ", seed " << seed;
      ASSERT_EQ(found, texts(check_view(test::after(view, plan)))) << spec << ", seed " << seed;
      refused += found.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 50U);
}

}  // namespace
}  // namespace aliquot
