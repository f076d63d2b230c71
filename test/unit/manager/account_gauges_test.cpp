// What the metrics say of accounts.
#include "manager/account_gauges.hpp"

#include <gtest/gtest.h>

#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

// lab has two users, one of them with a job that weighs less; guests have used nothing; idle has no jobs.
struct GaugesOfAccounts : testing::Test {
  GaugesOfAccounts() {
    state.accounts = {{"idle"}, {"lab", "", 3}};
    standings.used = 400;
    standings.users[{"lab", 1}] = {0.25, 100, Weight{kMillion / 4}, 2};
    standings.users[{"lab", 2}] = {0.25, 200, Weight{kMillion}, 1};
    standings.users[{"lab", 3}] = {std::nullopt, 0, Weight{7}, 0};
    standings.users[{"", 1}] = {0.5, 0, Weight{kMillion}, 1};
    for (const std::uint64_t job : {4, 5, 6}) {
      Submission made = test::submission(1, 1000, 100);
      made.account = job < 6 ? "lab" : "";
      state.records[{job}].submission = made;
      uses.waiting[made.account].insert({job});
    }
    uses.waiting["lab"].insert({99});  // which has gone
    all = account_gauges(standings, state, uses);
  }
  CoreState state;
  AccountStandings standings;
  LimitUses uses;
  std::vector<AccountGauges> all;
};

TEST_F(GaugesOfAccounts, AreOfEveryAccountInOrder) {
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].account, "");
  EXPECT_EQ(all[1].account, "idle");
  EXPECT_EQ(all[2].account, "lab");
}

TEST_F(GaugesOfAccounts, AddUpUsersAndTakeTheSmallestWeight) {
  EXPECT_DOUBLE_EQ(all[2].entitled.value(), 0.5);
  EXPECT_DOUBLE_EQ(all[2].used.value(), 300.0 / 400 / 0.5);
  EXPECT_DOUBLE_EQ(all[2].weight.value(), 0.25) << "one without jobs does not count";
  EXPECT_EQ(all[2].limited, 2U);
  EXPECT_EQ(all[0].limited, 1U);
}

TEST_F(GaugesOfAccounts, SayNothingOfWhatIsNotKnown) {
  EXPECT_FALSE(all[1].entitled || all[1].used || all[1].weight);
  EXPECT_EQ(all[1].limited, 0U);
  EXPECT_DOUBLE_EQ(all[0].used.value(), 0);
  standings.used = 0;
  EXPECT_FALSE(account_gauges(standings, state, uses)[0].used) << "nothing is used at all";
}

}  // namespace
}  // namespace aliquot
