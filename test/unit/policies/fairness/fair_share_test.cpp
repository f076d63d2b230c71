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

TEST(Weight, is_1_for_one_that_has_used_what_it_is_entitled_to) {
  EXPECT_EQ(weight_of({0.25, 100}, 400, 0), Weight{});
  EXPECT_EQ(weight_of({0.25, 0}, 0, 0), Weight{}) << "nothing has been used";
  EXPECT_EQ(weight_of({0.25, 100}, 400, 1'000), Weight{});
}

TEST(Weight, is_what_is_entitled_over_what_was_used) {
  EXPECT_EQ(weight_of({0.5, 100}, 400, 0), Weight{2 * kMillion});
  EXPECT_EQ(weight_of({0.25, 200}, 400, 0), Weight{kMillion / 2});
  // A little use at the beginning says nothing: 0.25 (40 + 4000) / (0 + 1000).
  EXPECT_EQ(weight_of({0.25, 0}, 40, 4'000), Weight{1'010'000});
}

TEST(Weight, stays_between_an_eighth_and_8) {
  EXPECT_EQ(weight_of({0.5, 1}, 1'000, 0), Weight{8 * kMillion});
  EXPECT_EQ(weight_of({0.001, 1'000}, 1'000, 0), Weight{kMillion / 8});
  EXPECT_EQ(weight_of({0.5, 0}, 1'000, 0), Weight{}) << "without a grace what was used must be above 0";
}

TEST(Weight, is_told_when_it_differs_by_a_sixth) {
  EXPECT_FALSE(differs({600'000}, {600'000}));
  EXPECT_FALSE(differs({600'000}, {699'999}));
  EXPECT_TRUE(differs({600'000}, {700'000}));
  EXPECT_TRUE(differs({700'000}, {600'000}));
  EXPECT_FALSE(differs({699'999}, {600'000}));
}

TEST(FairShare, weighs_its_active_users_by_what_they_were_granted) {
  FairShare fair_share(AccountTree{}, kHour * 1'000'000);
  fair_share.grant(kFirst, cores(3), at(0));
  fair_share.grant(kSecond, cores(1), at(0));
  // Of so small a cluster the grace is nearly nothing.
  const auto weights = fair_share.weights({kFirst, kSecond}, Cpu{1}, at(1'000));
  EXPECT_NEAR(static_cast<double>(weights[0].raw), 666'667, 2'000);
  EXPECT_NEAR(static_cast<double>(weights[1].raw), 2'000'000, 6'000);
  EXPECT_EQ(fair_share.weights({kFirst}, Cpu{1}, at(1'000)), std::vector<Weight>{Weight{}})
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
