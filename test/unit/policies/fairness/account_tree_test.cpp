// What users are entitled to: fractions of shares down a tree, among those that are active.
#include "policies/fairness/account_tree.hpp"

#include <gtest/gtest.h>

namespace aliquot::fairness {
namespace {

using Users = std::vector<AccountUser>;

// science has 3 of the 4 shares at the top, and below it physics 2 of 3.
AccountTree tree() {
  return AccountTree(
      {{"science", "", 3}, {"physics", "science", 2}, {"biology", "science", 1}, {"guests"}});
}

std::vector<double> entitled(const Users& active) { return tree().entitled(active); }

TEST(AccountTree, entitles_to_the_product_of_the_fractions_on_the_way_down) {
  EXPECT_EQ(entitled({{"physics", 1}, {"biology", 2}, {"guests", 3}}),
            (std::vector<double>{0.75 * (2.0 / 3), 0.75 * (1.0 / 3), 0.25}));
}

TEST(AccountTree, counts_only_accounts_with_active_users) {
  EXPECT_EQ(entitled({{"biology", 2}, {"guests", 3}}), (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(entitled({{"guests", 3}}), (std::vector<double>{1}));
  EXPECT_TRUE(entitled({}).empty());
}

TEST(AccountTree, divides_an_account_evenly_among_its_active_users) {
  EXPECT_EQ(entitled({{"guests", 1}, {"guests", 2}}), (std::vector<double>{0.5, 0.5}));
  // A user of science itself has one share beside physics, which has two.
  EXPECT_EQ(entitled({{"science", 9}, {"physics", 1}}), (std::vector<double>{1.0 / 3, 2.0 / 3}));
}

TEST(AccountTree, gives_an_account_that_it_does_not_name_one_share_at_the_top) {
  EXPECT_EQ(entitled({{"physics", 1}, {"unknown", 2}}), (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(AccountTree().entitled({{"", 1}, {"", 2}, {"lab", 3}}), (std::vector<double>{0.25, 0.25, 0.5}));
}

TEST(AccountTree, knows_the_way_to_an_account) {
  EXPECT_EQ(tree().path_to("physics"), (std::vector<std::string>{"science", "physics"}));
  EXPECT_EQ(tree().path_to("unknown"), std::vector<std::string>{"unknown"});
}

TEST(AccountTree, has_faults_that_are_named) {
  EXPECT_EQ(fault_of({{"lab", "", 2}, {"group", "lab", 1}}), "");
  EXPECT_EQ(fault_of({{"lab", "", 0}}), "the account lab has no shares; give it at least 1");
  EXPECT_EQ(fault_of({{"lab"}, {"lab"}}), "the account lab is named twice; write it once");
  EXPECT_EQ(fault_of({{"lab", "none"}}), "the account lab is below none, and there is no such account");
  EXPECT_EQ(fault_of({{"a", "b"}, {"b", "a"}}), "the account a is below itself");
  EXPECT_EQ(fault_of({{"a", "b"}, {"b", "b"}}), "the account a is below itself");
}

}  // namespace
}  // namespace aliquot::fairness
