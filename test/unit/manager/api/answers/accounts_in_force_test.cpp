// What operators have set of accounts stands in the place of the configuration, until it is reset.
#include "manager/api/answers/accounts_in_force.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

using Terms = std::vector<AccountTerms>;

const AccountTerms kPhysics{"physics", "", 3}, kLab{"lab", "physics", 1, {{LimitKind::jobs, 4}}};

TEST(AccountsInForce, WhatIsSetWinsUntilItIsReset) {
  AccountSet set{"lab"};
  set.limits = {{LimitKind::jobs, 8}, {LimitKind::cpu, 2 * kMillion}};
  const auto in_force = with_account_set({kPhysics, kLab}, set, 1000);
  ASSERT_TRUE(in_force);
  const AccountTerms as_set{"lab", "physics", 1, {{LimitKind::jobs, 8}, {LimitKind::cpu, 2 * kMillion}},
                            {},    1000};
  EXPECT_EQ(*in_force, (Terms{kPhysics, as_set}));
  const AccountTerms wider{"physics", "", 5};
  EXPECT_EQ(accounts_with({wider, kLab}, *in_force), (Terms{wider, as_set})) << "a reload leaves it";
  EXPECT_EQ(*with_account_reset(*in_force, "lab", {kPhysics, kLab}), (Terms{kPhysics, kLab}));
}

TEST(AccountsInForce, ALimitIsTakenAway) {
  AccountSet set{"lab"};
  set.limits = {{LimitKind::jobs, std::nullopt}};
  EXPECT_TRUE(with_account_set({kPhysics, kLab}, set, 0)->back().limits.empty());
}

TEST(AccountsInForce, AReservationAndALimitOfYieldsAreSetAndTakenBack) {
  AccountSet set{"lab"};
  set.min_yield = Yield{300'000};
  set.max_yield = Yield{500'000};
  const auto in_force = with_account_set({kPhysics, kLab}, set, 0);
  ASSERT_TRUE(in_force);
  EXPECT_EQ(in_force->back().min_yield, Yield{300'000});
  EXPECT_EQ(in_force->back().max_yield, Yield{500'000});
  set.max_yield = Yield{200'000};
  EXPECT_NE(with_account_set({kPhysics, kLab}, set, 0).error().message.find("above their max_yield"),
            std::string::npos);
  AccountSet back{"lab"};
  back.min_yield = Yield{};
  back.max_yield = kFullYield;
  EXPECT_EQ(with_account_set(*in_force, back, 0)->back().max_yield, kFullYield);
}

TEST(AccountsInForce, AnAccountThatOnlyAnOperatorNamesIsGoneWhenItIsReset) {
  AccountSet set{"guests"};
  set.shares = 2;
  const auto in_force = with_account_set({kPhysics}, set, 0);
  ASSERT_TRUE(in_force);
  EXPECT_EQ(accounts_with({kPhysics}, *in_force), *in_force);
  EXPECT_EQ(*with_account_reset(*in_force, "guests", {kPhysics}), (Terms{kPhysics}));
}

TEST(AccountsInForce, WhatMakesNoTreeIsRefused) {
  AccountSet set{"physics"};
  EXPECT_FALSE(with_account_set({kPhysics, kLab}, set, 0)) << "nothing is said of it";
  set.parent = "lab";
  EXPECT_EQ(with_account_set({kPhysics, kLab}, set, 0).error().kind, ErrorKind::invalid_argument);
  set.parent = "no where";
  EXPECT_FALSE(with_account_set({kPhysics, kLab}, set, 0));
  EXPECT_EQ(with_account_reset({kPhysics}, "lab", {}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(with_account_reset({kPhysics}, "physics", {}).error().kind, ErrorKind::conflict);
}

TEST(AccountsInForce, AnAccountWhoseParentTheConfigurationHasLostStandsAtTheTop) {
  AccountTerms set = kLab;
  set.by = 0;
  set.parent = "physics";
  const Terms merged = accounts_with({}, {set});
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged.front().parent, "");
}

TEST(AccountsInForce, AreToldOnlyIfTheyAreNotInForce) {
  CoreState state;
  EXPECT_TRUE(accounts_taken({}, state).empty());
  ASSERT_EQ(accounts_taken({kPhysics}, state).size(), 1U);
  state.accounts = {kPhysics};
  EXPECT_TRUE(accounts_taken({kPhysics}, state).empty());
}

}  // namespace
}  // namespace aliquot
