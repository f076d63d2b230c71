#include "tools/sim/bound/certificate.hpp"

#include <gtest/gtest.h>

#include "test/unit/tools/sim/bound/instances.hpp"
#include "tools/sim/bound/lower_bound.hpp"
#include "tools/sim/bound/weights.hpp"

namespace aliquot {
namespace {

using test::bound_instance;
using test::bound_node;
using test::bound_nodes;

Instant at(std::int64_t s) { return {s * kMillion}; }
double bound_of(const BoundInstance& instance) {
  return static_cast<double>(lower_bound(instance).stretch.nano) / 1e9;
}

TEST(TimeSet, JoinsWhatTouchesAndMeasuresWhatLiesWithin) {
  const TimeSet set({{at(10), at(20)}, {at(20), at(30)}, {at(50), at(60)}});
  ASSERT_EQ(set.segments().size(), 2U);
  EXPECT_EQ(set.length(), seconds(30));
  EXPECT_EQ(set.within(at(0), at(100)), seconds(30));
  EXPECT_EQ(set.within(at(15), at(55)), seconds(20));
  EXPECT_EQ(set.within(at(30), at(50)), seconds(0));
  EXPECT_EQ(set.within(at(12), at(14)), seconds(2));
  EXPECT_EQ(TimeSet().length(), seconds(0));
}

TEST(Bound, OfJobsThatDisturbNobodyIsOne) {
  EXPECT_EQ(bound_of(bound_instance({{0, 100, 1, 20, 1}, {5, 100, 1, 20, 1}}, bound_nodes(1))), 1);
}

TEST(Bound, OfTwoEqualJobsThatWantAllOfTheCpuIsTwo) {
  const auto instance = bound_instance({{0, 100, 1, 40, 1}, {0, 100, 1, 40, 1}}, bound_nodes(1));
  EXPECT_NEAR(bound_of(instance), 2, 1e-5);
  EXPECT_LE(bound_of(instance), 2);
  // What was found is exact: the instants of a proof prove no more than the truth.
  const Certificate all{cpu_weights(instance), TimeSet({{at(0), at(200)}})};
  EXPECT_FALSE(proves(instance, all, {2 * kNano}));
  EXPECT_TRUE(proves(instance, {cpu_weights(instance), TimeSet({{at(0), at(199)}})}, {kNano * 199 / 100}));
}

TEST(Bound, CountsShortJobsAsThirtySeconds) {
  // Three jobs of 10 s end by 30 s whatever the order; six need 60 s.
  std::vector<test::BoundRow> rows(3, {0, 10, 1, 40, 1});
  EXPECT_EQ(bound_of(bound_instance(rows, bound_nodes(1))), 1);
  rows.resize(6, rows[0]);
  EXPECT_NEAR(bound_of(bound_instance(rows, bound_nodes(1))), 2, 1e-5);
}

TEST(Bound, SeesThatALongJobCanWaitForAShortOne) {
  // The short one first: 100 s and 1100 s.
  const auto instance = bound_instance({{0, 1000, 1, 40, 1}, {0, 100, 1, 40, 1}}, bound_nodes(1));
  EXPECT_NEAR(bound_of(instance), 1.1, 1e-5);
}

TEST(Bound, SeesTheMemoryThatNoTwoTasksShare) {
  // 0.6 of the memory and little CPU: one after the other, on each of two nodes.
  const std::vector<test::BoundRow> rows(4, {0, 100, 1, 1, 6});
  const LowerBound found = lower_bound(bound_instance(rows, bound_nodes(2)));
  EXPECT_NEAR(static_cast<double>(found.stretch.nano) / 1e9, 2, 1e-5);
  EXPECT_EQ(found.jobs, 4U);
}

TEST(Bound, SeesThatWideJobsExcludeEachOther) {
  // Two of three nodes each, alone in their memory: never together, although four tasks are 4/3 of a node.
  const std::vector<test::BoundRow> rows(2, {0, 100, 2, 1, 6});
  EXPECT_NEAR(bound_of(bound_instance(rows, bound_nodes(3))), 2, 1e-5);
}

TEST(Bound, OfAJobTooLargeForFullSpeedIsItsOwn) {
  // Three tasks of a node each on two nodes: two of them share one.
  const LowerBound found = lower_bound(bound_instance({{0, 100, 3, 40, 1}}, bound_nodes(2)));
  EXPECT_EQ(found.stretch, Stretch{2 * kNano});
  EXPECT_EQ(found.capacity, "alone");
  EXPECT_TRUE(found.time.empty());
}

TEST(Bound, CountsEachNodeOfItsOwnSize) {
  const std::vector<test::BoundRow> rows(2, {0, 100, 1, 80, 9});
  const std::vector<Node> unlike{bound_node(0, cores(8)), bound_node(1, cores(4))};
  EXPECT_NEAR(bound_of(bound_instance(rows, unlike)), 4.0 / 3, 1e-5);
}

}  // namespace
}  // namespace aliquot
