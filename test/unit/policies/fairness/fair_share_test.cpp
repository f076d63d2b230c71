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

TEST(Weight, is_1_for_one_that_has_used_no_more_than_it_is_entitled_to) {
  EXPECT_EQ(weight_of({0.25, 0}, 400), Weight{});
  EXPECT_EQ(weight_of({0.25, 99}, 400), Weight{});
  EXPECT_EQ(weight_of({0.25, 100}, 400), Weight{});
  EXPECT_EQ(weight_of({0.25, 0}, 0), Weight{}) << "a cluster without nodes";
}

TEST(Weight, is_the_square_of_what_is_entitled_over_what_was_used) {
  EXPECT_EQ(weight_of({0.25, 200}, 400), Weight{kMillion / 4});
  EXPECT_EQ(weight_of({0.5, 250}, 400), Weight{640'000});
}

TEST(Weight, is_a_64th_at_least) {
  EXPECT_EQ(weight_of({0.25, 800}, 400), Weight{kMillion / 64});
  EXPECT_EQ(weight_of({0.25, 801}, 400), Weight{kMillion / 64});
  EXPECT_EQ(weight_of({0.25, 1}, 0), Weight{kMillion / 64});
}

TEST(Weight, is_told_when_it_differs_by_a_sixth) {
  EXPECT_FALSE(differs({600'000}, {600'000}));
  EXPECT_FALSE(differs({600'000}, {699'999}));
  EXPECT_TRUE(differs({600'000}, {700'000}));
  EXPECT_TRUE(differs({700'000}, {600'000}));
  EXPECT_FALSE(differs({699'999}, {600'000}));
}

// Of four cores the first has been granted three and the second one, for ever.
TEST(FairShare, weighs_its_active_users_by_what_they_were_granted) {
  FairShare fair_share(AccountTree{}, kHour);
  fair_share.grant(kFirst, cores(3), at(0));
  fair_share.grant(kSecond, cores(1), at(0));
  const auto weights = fair_share.weights({kFirst, kSecond}, cores(4), at(1'000));
  EXPECT_EQ(weights, (std::vector<Weight>{{444'444}, Weight{}})) << "two of three, squared";
  EXPECT_EQ(fair_share.weights({kFirst, kSecond}, cores(6), at(1'000)),
            (std::vector<Weight>{Weight{}, Weight{}}))
      << "half of the cluster is what it is entitled to";
  EXPECT_EQ(fair_share.weights({kFirst}, cores(4), at(1'000)), std::vector<Weight>{Weight{}})
      << "alone it is entitled to all";
}

TEST(FairShare, takes_up_what_was_stored) {
  FairShare fair_share(AccountTree{}, kHour);
  fair_share.take_up(kFirst, 500, at(1));
  EXPECT_DOUBLE_EQ(fair_share.used(kFirst, at(2)), 250);
  EXPECT_DOUBLE_EQ(fair_share.used(kSecond, at(2)), 0);
}

}  // namespace
}  // namespace aliquot::fairness
