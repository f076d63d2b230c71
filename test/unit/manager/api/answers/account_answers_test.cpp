// The answer to `accounts`: sums, unknown amounts, and unknown accounts.
#include "manager/api/answers/account_answers.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "test/support/json_form.hpp"
#include "test/unit/manager/api/answers/account_rows.hpp"

namespace aliquot {
namespace {

using nlohmann::json;

json answer(const Accounts& request) {
  const auto body = accounts_answer(test::account_rows(), request, {{100'000'000}, Calendar(0)});
  return body ? test::in_form("accounts", *body) : json(body.error().message);
}

TEST(AccountsAnswer, SumsWhatTheJobsOfAnAccountComeTo) {
  const json all = answer({});
  EXPECT_EQ(all["now"], "1970-01-01T00:01:40.000Z");
  EXPECT_EQ(all["more"], false);
  ASSERT_EQ(all["accounts"].size(), 2U);
  EXPECT_EQ(all["accounts"][0]["account"], "");
  const json& ada = all["accounts"][1];
  EXPECT_EQ(ada["jobs"]["running"], 2);
  EXPECT_EQ(ada["jobs"]["paused"], 1);
  EXPECT_EQ(ada["jobs"]["pending"], 0);
  EXPECT_EQ(ada["jobs"]["completed"], 1);
  EXPECT_EQ(ada["jobs"]["failed"], 1);
  EXPECT_EQ(ada["jobs"].size(), all_job_states().size());
  EXPECT_EQ(ada["cpu"]["promised_s"], 210.0);
  EXPECT_EQ(ada["cpu"]["granted_s"], 180.0);
  EXPECT_EQ(ada["cpu"]["used_s"], 150.0);
  EXPECT_EQ(ada["cpu"]["accuracy"], 0.9);
  EXPECT_EQ(ada["cpu"]["busy"].dump(), R"({"granted_s":30.0,"used_s":27.0})");
  EXPECT_EQ(ada["stretch"]["so_far"].dump(), R"({"jobs":3,"max":2.5,"mean":1.666666})");
  EXPECT_EQ(ada["stretch"]["completed"].dump(), R"({"jobs":1,"max":2.0,"mean":2.0})")
      << "the stretch of a failed job does not count";
}

TEST(AccountsAnswer, ASumLeavesOutWhatIsNotKnownAndSaysSo) {
  const json ada = answer({"ada", 1000})["accounts"][0]["cpu"];
  EXPECT_EQ(ada["throttled_s"], 3.0);
  EXPECT_EQ(ada["stolen_s"], 3.0) << "two jobs: 3 - 1 and 3 - 2";
  EXPECT_EQ(ada["unknown"]["throttled_s"], "1 of 3 jobs do not tell; the sum is of the others");
  EXPECT_FALSE(ada["unknown"].contains("used_s"));
  const json idle = answer({"", 1000})["accounts"][0]["cpu"];
  for (const char* key : {"used_s", "stolen_s", "throttled_s", "accuracy"}) {
    EXPECT_TRUE(idle[key].is_null()) << key;
    EXPECT_TRUE(idle["unknown"].contains(key)) << key;
  }
}

TEST(AccountsAnswer, AJobOfWhichNoCounterWasReadDoesNotTell) {
  JobUse use;
  use.granted = seconds(1);
  CpuTotals cpu;
  cpu.add(use);
  EXPECT_EQ(cpu.used.unknown, 1U);
  EXPECT_EQ(cpu.used.known, 0U);
}

TEST(AccountsAnswer, IsBoundedAndRefusesAnAccountThatNeverWas) {
  const json first = answer({std::nullopt, 1});
  EXPECT_EQ(first["accounts"].size(), 1U);
  EXPECT_EQ(first["more"], true);
  EXPECT_EQ(answer({std::nullopt, 2})["more"], false);
  const auto none = accounts_answer(test::account_rows(), {"adda", 1000}, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::not_found);
  EXPECT_NE(none.error().message.find("did you mean `ada`?"), std::string::npos) << none.error().message;
}

}  // namespace
}  // namespace aliquot
