// The use that decays, and the weight that follows from it.
#include "policies/fairness/fair_share.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace aliquot::fairness {
namespace {

constexpr Duration kHour = seconds(3'600);
const AccountUser kFirst{"lab", 1}, kSecond{"lab", 2};

Instant at(std::int64_t hours) { return Instant{} + kHour * hours; }

TEST(DecayingUse, forgets_half_of_it_in_a_half_life) {
  const DecayingUse use(800, at(1));
  EXPECT_DOUBLE_EQ(use.at(at(1), kHour), 800);
  EXPECT_DOUBLE_EQ(use.at(at(2), kHour), 400);
  EXPECT_DOUBLE_EQ(use.at(at(4), kHour), 100);
  EXPECT_DOUBLE_EQ(use.at(at(0), kHour), 800) << "time does not go back";
}

TEST(DecayingUse, counts_core_seconds_that_are_granted) {
  DecayingUse use;
  use.grant(cores(10), at(0), kHour * 1'000'000);
  EXPECT_NEAR(use.at(at(1), kHour * 1'000'000), 36'000, 0.1);
  use.grant(cores(0), at(1), kHour * 1'000'000);
  EXPECT_NEAR(use.at(at(3), kHour * 1'000'000), 36'000, 0.1);
}

// Of a constant grant of r cores at most r h / ln 2 is remembered.
TEST(DecayingUse, of_a_constant_grant_comes_to_rest) {
  DecayingUse use;
  use.grant(cores(10), at(0), kHour);
  EXPECT_NEAR(use.at(at(100), kHour), 36'000 / std::numbers::ln2, 1e-6);
  // Looking at it in between changes nothing.
  use.grant(cores(10), at(50), kHour);
  EXPECT_NEAR(use.at(at(100), kHour), 36'000 / std::numbers::ln2, 1e-6);
}

TEST(DecayingCount, forgets_half_of_it_in_a_half_life) {
  DecayingCount count;
  count.add_one(at(1), kHour);
  EXPECT_DOUBLE_EQ(count.at(at(1), kHour), 1);
  EXPECT_DOUBLE_EQ(count.at(at(3), kHour), 0.25);
  count.add_one(at(2), kHour);
  EXPECT_DOUBLE_EQ(count.at(at(2), kHour), 1.5);
  EXPECT_DOUBLE_EQ(count.at(at(0), kHour), 1.5) << "time does not go back";
}

constexpr Whole kWhole{400, 4};  // core-seconds, of four users

TEST(Weight, is_1_for_one_that_has_used_no_more_than_twice_its_part) {
  EXPECT_EQ(weight_of({0.25, 0}, kWhole), Weight{});
  EXPECT_EQ(weight_of({0.25, 199}, kWhole), Weight{});
  EXPECT_EQ(weight_of({0.25, 200}, kWhole), Weight{});
  EXPECT_EQ(weight_of({0.25, 0}, {0, 4}), Weight{}) << "a cluster without nodes";
}

TEST(Weight, is_the_square_of_twice_its_part_over_what_was_used) {
  EXPECT_EQ(weight_of({0.25, 400}, kWhole), Weight{kMillion / 4});
  EXPECT_EQ(weight_of({0.25, 250}, kWhole), Weight{640'000});
}

// Else none of two users could ever have had too much.
TEST(Weight, leaves_alone_no_more_than_the_middle_between_its_part_and_the_whole) {
  EXPECT_EQ(weight_of({0.5, 300}, kWhole), Weight{});
  EXPECT_EQ(weight_of({0.5, 375}, kWhole), Weight{640'000});
}

TEST(Weight, is_a_64th_at_least_for_what_was_used) {
  EXPECT_EQ(weight_of({0.25, 1'600}, kWhole), Weight{kMillion / 64});
  EXPECT_EQ(weight_of({0.25, 1'601}, kWhole), Weight{kMillion / 64});
  EXPECT_EQ(weight_of({0.25, 1}, {0, 4}), Weight{kMillion / 64});
}

// The weight of one of four users with an equal part, the others with so many jobs each.
Weight by_jobs(double its, double each_of_others, double entitled = 0.25) {
  return weight_of({entitled, 0, its}, {400, 4, its + 3 * each_of_others});
}

TEST(Weight, is_the_square_of_eight_more_than_the_others_have_over_its_own_jobs) {
  EXPECT_EQ(by_jobs(9, 1), Weight{});
  EXPECT_EQ(by_jobs(12, 2), Weight{694'444});
  EXPECT_EQ(by_jobs(20, 2), Weight{kMillion / 4});
  EXPECT_EQ(by_jobs(100, 100), Weight{});
  EXPECT_EQ(by_jobs(216, 100), Weight{kMillion / 4});
  EXPECT_EQ(by_jobs(10'000, 1), kLeastWeight);
  EXPECT_EQ(by_jobs(300, 1), kLeastWeight) << "the least that a recorded event may tell";
}

TEST(Weight, leaves_more_jobs_alone_where_its_shares_are_larger_than_the_average) {
  EXPECT_EQ(by_jobs(20, 2, 0.5), Weight{});
  EXPECT_EQ(by_jobs(40, 2, 0.5), Weight{kMillion / 4});
  EXPECT_EQ(by_jobs(10, 2, 0.125), Weight{}) << "and no fewer where they are smaller";
}

TEST(Weight, is_the_smaller_one_by_use_and_by_jobs) {
  EXPECT_EQ(weight_of({0.25, 400, 10}, {400, 4, 16}), Weight{kMillion / 4});
  EXPECT_EQ(weight_of({0.25, 250, 20}, {400, 4, 26}), Weight{kMillion / 4});
}

TEST(Weight, is_1_for_one_that_is_alone) { EXPECT_EQ(weight_of({1, 500, 10'000}, {400, 1}), Weight{}); }

TEST(Weight, is_told_when_it_differs_by_a_sixth) {
  EXPECT_FALSE(differs({600'000}, {600'000}));
  EXPECT_FALSE(differs({600'000}, {699'999}));
  EXPECT_TRUE(differs({600'000}, {700'000}));
  EXPECT_TRUE(differs({700'000}, {600'000}));
  EXPECT_FALSE(differs({699'999}, {600'000}));
}

// The first has been granted eight cores and the second one, for ever.
TEST(FairShare, weighs_its_active_users_by_what_they_were_granted) {
  FairShare fair_share(AccountTree{}, kHour);
  fair_share.grant(kFirst, cores(8), at(0));
  fair_share.grant(kSecond, cores(1), at(0));
  const std::vector<ActiveUser> both{{kFirst, 1}, {kSecond, 1}};
  EXPECT_EQ(fair_share.weights(both, cores(8), at(1'000)), (std::vector<Weight>{{562'500}, Weight{}}))
      << "three quarters of the cluster over what it had: six of eight, squared";
  EXPECT_EQ(fair_share.weights(both, cores(11), at(1'000)), (std::vector<Weight>{Weight{}, Weight{}}));
  EXPECT_EQ(fair_share.weights({{kFirst, 1}}, cores(6), at(1'000)), std::vector<Weight>{Weight{}})
      << "alone it is entitled to all";
}

TEST(FairShare, weighs_its_active_users_by_their_jobs) {
  const FairShare fair_share(AccountTree{}, kHour);
  EXPECT_EQ(fair_share.weights({{kFirst, 20}, {kSecond, 2}}, cores(6), at(0)),
            (std::vector<Weight>{{kMillion / 4}, Weight{}}));
}

TEST(FairShare, remembers_jobs_that_have_ended) {
  FairShare fair_share(AccountTree{}, kHour);
  for (int k = 0; k < 36; ++k) fair_share.count_ended(kFirst, at(0));
  const std::vector<ActiveUser> both{{kFirst, 2}, {kSecond, 2}};
  EXPECT_DOUBLE_EQ(fair_share.standings(both, at(1))[0].jobs, 20);
  EXPECT_EQ(fair_share.weights(both, cores(6), at(1)), (std::vector<Weight>{{kMillion / 4}, Weight{}}));
  EXPECT_EQ(fair_share.weights(both, cores(6), at(3)), (std::vector<Weight>{Weight{}, Weight{}}));
}

TEST(FairShare, takes_up_what_was_stored) {
  FairShare fair_share(AccountTree{}, kHour);
  fair_share.take_up(kFirst, 500, at(1));
  EXPECT_DOUBLE_EQ(fair_share.used(kFirst, at(2)), 250);
  EXPECT_DOUBLE_EQ(fair_share.used(kSecond, at(2)), 0);
  fair_share.take_up_ended(kFirst, 12, at(1));
  EXPECT_DOUBLE_EQ(fair_share.ended(kFirst, at(2)), 6);
  EXPECT_DOUBLE_EQ(fair_share.ended(kSecond, at(2)), 0);
}

}  // namespace
}  // namespace aliquot::fairness
