// The answers to account.show and account.usage: sums over the tree, and what a client may see of it.
#include "manager/api/answers/account_tree_answers.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "manager/api/answers/usage_answer.hpp"
#include "test/support/json_form.hpp"

namespace aliquot {
namespace {

using nlohmann::json;
using test::in_form;

// lab and field stand below science; ada (1) computes in lab, bob (2) in field and without an account.
struct AccountTree : testing::Test {
  AccountTree() {
    state.accounts = {{"science", "", 3, {{LimitKind::cpu, 8 * kMillion}}},
                      {"lab", "science", 2, {}, {{LimitKind::jobs, 2}}, 1000},
                      {"field", "science"}};
    standings.half_life = seconds(3600);
    standings.used = 1000;
    standings.users[{"lab", 1}] = {0.5, 600, Weight{kMillion / 4}, 3};
    standings.users[{"field", 2}] = {0.25, 100, Weight{kMillion}, 1};
    standings.users[{"", 2}] = {0.25, 300, Weight{kMillion}, 1};
    uses.of_accounts["science"].of(LimitKind::cpu) = 2'500'000;
    uses.of_users[{"lab", 1}].of(LimitKind::jobs) = 3;
  }
  json show(const std::optional<std::string>& account = {}, const std::optional<OwnAccounts>& only = {}) {
    const auto answer = account_tree_answer(state, uses, standings, {account}, clock, only);
    return answer ? in_form("account.show", *answer) : json(answer.error().message);
  }
  static std::vector<std::string> names(const json& rows) {
    std::vector<std::string> all;
    for (const json& row : rows) all.push_back(row["account"].get<std::string>());
    return all;
  }
  using Names = std::vector<std::string>;

  CoreState state;
  LimitUses uses;
  AccountStandings standings;
  AnswerClock clock{Instant{}, Calendar(std::int64_t{1'800'000'000} * kMillion)};
};

TEST_F(AccountTree, AnAccountIsTheSumOfItselfAndAllBelowIt) {
  const json answer = show();
  EXPECT_EQ(names(answer["accounts"]), (Names{"", "field", "lab", "science"}));
  const json& science = answer["accounts"][3];
  EXPECT_EQ(science["entitled"], 0.75);
  EXPECT_EQ(science["used_core_s"], 700.0);
  EXPECT_EQ(science["jobs"], 4);
  EXPECT_DOUBLE_EQ(science["ratio"].get<double>(), 0.933333);
  EXPECT_EQ(science["limits"], (json{{"cpu", 8'000'000}}));
  EXPECT_EQ(science["counted"]["cpu"], 2'500'000);
  EXPECT_DOUBLE_EQ(science["counted"]["core_hours"].get<double>(), 0.194444);
  EXPECT_EQ(science["by_uid"], nullptr);
}

TEST_F(AccountTree, SaysWhatIsSetOfAnAccountAndByWhichOperator) {
  const json lab = show()["accounts"][2];
  EXPECT_EQ(lab["parent"], "science");
  EXPECT_EQ(lab["shares"], 2);
  EXPECT_EQ(lab["each_user"], (json{{"jobs", 2}}));
  EXPECT_EQ(lab["by_uid"], 1000);
  EXPECT_EQ(lab["counted"]["jobs"], 0);
  EXPECT_EQ(lab["min_yield"], 0);
  EXPECT_EQ(lab["max_yield"], 1);
}

TEST_F(AccountTree, AUserHasItsOwnStandingAndWeight) {
  const json answer = show("lab");
  EXPECT_EQ(names(answer["accounts"]), Names{"lab"});
  ASSERT_EQ(answer["users"].size(), 1U);
  const json& ada = answer["users"][0];
  EXPECT_EQ(ada["uid"], 1);
  EXPECT_EQ(ada["weight"], 0.25);
  EXPECT_EQ(ada["jobs"], 3);
  EXPECT_EQ(ada["counted"]["jobs"], 3);
  EXPECT_DOUBLE_EQ(ada["ratio"].get<double>(), 1.2);
}

TEST_F(AccountTree, OneAccountIsShownWithThoseBelowIt) {
  EXPECT_EQ(names(show("science")["accounts"]), (Names{"field", "lab", "science"}));
  EXPECT_EQ(names(show("science")["users"]), (Names{"field", "lab"}));
  const std::string unknown = show("lap");
  EXPECT_NE(unknown.find("there is no account `lap`"), std::string::npos) << unknown;
}

TEST_F(AccountTree, AUserThatIsNotActiveIsEntitledToNothingInParticular) {
  standings.half_life.reset();
  standings.users[{"lab", 1}] = {std::nullopt, 600, Weight{kMillion}, 0};
  const json answer = show("lab");
  EXPECT_EQ(answer["half_life_s"], nullptr);
  EXPECT_EQ(answer["users"][0]["entitled"], nullptr);
  EXPECT_EQ(answer["users"][0]["ratio"], nullptr);
  EXPECT_EQ(answer["accounts"][0]["entitled"], nullptr);
}

TEST_F(AccountTree, WhereOthersArePrivateAUserSeesItsAccountsAndItself) {
  const json answer = show({}, OwnAccounts{{"field", "lab"}, 2});
  EXPECT_EQ(names(answer["accounts"]), (Names{"field", "lab"}));
  EXPECT_EQ(names(answer["users"]), Names{"field"});
}

TEST_F(AccountTree, WhatWasChangedIsToldWithItsTerms) {
  const json changed = in_form("account.set", account_changed_answer("lab", state.accounts[1], clock));
  EXPECT_EQ(changed["terms"]["each_user"], (json{{"jobs", 2}}));
  const json gone = in_form("account.reset", account_changed_answer("lab", std::nullopt, clock));
  EXPECT_EQ(gone["terms"], nullptr);
}

// The hours 499,999 to 500,001; the present is in the second of them.
struct AccountUsageAnswer : testing::Test {
  json usage(bool by_user, const std::optional<OwnAccounts>& only = {}) const {
    const UsageBy by = by_user ? UsageBy::user : UsageBy::account;
    return in_form("account.usage", account_usage_answer(sums, {499'999, 500'001, by}, clock, only));
  }
  json usage_of_jobs(const CpuByJob& jobs, const std::optional<OwnAccounts>& only = {}) const {
    const AccountUsage request{499'999, 500'001, UsageBy::job};
    return in_form("account.usage", job_usage_answer(jobs, request, clock, only));
  }
  static std::string rows(const json& answer) {
    std::string text;
    for (const json& row : answer["usage"])
      text += row["account"].get<std::string>() + ":" + row["uid"].dump() + ":" +
              row["granted_core_s"].dump() + ":" + row["used_core_s"].dump() + " ";
    return text;
  }
  CpuByUser sums{{{"field", 2}, {seconds(10), seconds(5)}},
                 {{"lab", 1}, {seconds(100), seconds(50)}},
                 {{"lab", 2}, {Duration{1'500'000}, seconds(1)}}};
  AnswerClock clock{Instant{}, Calendar(std::int64_t{500'000} * kHourUs + 60 * kMillion)};
};

TEST_F(AccountUsageAnswer, IsByAccountOrByUser) {
  EXPECT_EQ(rows(usage(false)), "field:null:10.0:5.0 lab:null:101.5:51.0 ");
  EXPECT_EQ(rows(usage(true)), "field:2:10.0:5.0 lab:1:100.0:50.0 lab:2:1.5:1.0 ");
}

TEST_F(AccountUsageAnswer, SaysUntilWhenTheHourThatRunsIsCounted) {
  const json answer = usage(false);
  EXPECT_EQ(answer["start"], "2027-01-15T07:00:00.000Z");
  EXPECT_EQ(answer["end"], "2027-01-15T09:00:00.000Z");
  EXPECT_EQ(answer["counted_until"], "2027-01-15T08:01:00.000Z");
  clock = {Instant{} + seconds(86'400), clock.calendar};
  EXPECT_EQ(usage(false)["counted_until"], "2027-01-15T09:00:00.000Z");
}

TEST_F(AccountUsageAnswer, WhereOthersArePrivateAUserSeesItsAccountsAndItself) {
  EXPECT_EQ(rows(usage(false, OwnAccounts{{"lab"}, 2})), "lab:null:101.5:51.0 ");
  EXPECT_EQ(rows(usage(true, OwnAccounts{{"lab"}, 2})), "field:2:10.0:5.0 lab:2:1.5:1.0 ");
}

TEST_F(AccountUsageAnswer, IsByJobInPages) {
  CpuByJob jobs{{{7}, {{"lab", 1}, {seconds(2), seconds(1)}}}, {{9}, {{"lab", 2}, {seconds(3), {}}}}};
  json answer = usage_of_jobs(jobs);
  EXPECT_EQ(rows(answer), "lab:1:2.0:1.0 lab:2:3.0:0.0 ");
  EXPECT_EQ(answer["usage"][1]["job"], 9);
  EXPECT_EQ(answer["next_after_job"], nullptr);
  for (std::uint64_t job = 10; jobs.size() <= kMostUsageRows; ++job) jobs[{job}] = {{"lab", 2}, {}};
  answer = usage_of_jobs(jobs);
  EXPECT_EQ(answer["usage"].size(), kMostUsageRows);
  EXPECT_EQ(answer["next_after_job"], answer["usage"].back()["job"]);
  const json own = usage_of_jobs(jobs, OwnAccounts{{"lab"}, 1});
  EXPECT_EQ(own["usage"].size(), 1U) << "others are private";
  EXPECT_EQ(own["next_after_job"], answer["next_after_job"]);
}

TEST_F(AccountUsageAnswer, HasABoundedNumberOfRows) {
  for (std::uint32_t uid = 0; uid <= kMostUsageRows; ++uid) sums[{"many", uid}] = {seconds(1), {}};
  EXPECT_EQ(usage(true)["usage"].size(), kMostUsageRows);
  EXPECT_EQ(usage(true)["more"], true);
  EXPECT_EQ(usage(false)["more"], false);
}

}  // namespace
}  // namespace aliquot
