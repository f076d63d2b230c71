// What `show` says of a job's CPU, and why it does not say it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "manager/api/answers/job_answers.hpp"
#include "test/support/json_form.hpp"
#include "test/unit/manager/api/answers/small_state.hpp"

namespace aliquot {
namespace {

using nlohmann::json;
using test::SmallState;

// Two runs on n0, where nothing is hidden, and one on n1, which cannot tell what its caps held back.
JobUse some_use() {
  JobUse use;
  use.promised = seconds(50);
  use.granted = seconds(40);
  use.runs = {{0, 1, 7, {0}, {30'000'000}, seconds(20), {seconds(18), seconds(3), seconds(2)}},
              {0, 1, 8, {0}, {60'000'000}, seconds(15), {seconds(15), seconds(1), seconds(1)}}};
  use.busy = {seconds(20), seconds(10), Duration{9'990'000}, seconds(1)};
  return use;
}

TEST(ShowAnswer, TellsWhatWasPromisedGrantedAndUsed) {
  const SmallState small;
  const json cpu = test::in_form("show", *show_answer(small.state, {1}, some_use(), small.clock))["cpu"];
  EXPECT_EQ(cpu["promised_s"], 50.0);
  EXPECT_EQ(cpu["granted_s"], 40.0);
  EXPECT_EQ(cpu["used_s"], 33.0);
  EXPECT_EQ(cpu["stolen_s"], 1.0);
  EXPECT_EQ(cpu["throttled_s"], 3.0);
  EXPECT_EQ(cpu["accuracy"], 0.999);
  EXPECT_EQ(cpu["busy"]["for_s"], 20.0);
  ASSERT_EQ(cpu["runs"].size(), 2U);
  EXPECT_EQ(cpu["runs"][1]["node"], "n0");
  EXPECT_EQ(cpu["runs"][1]["used_s"], 15.0);
  EXPECT_EQ(cpu["read_at"], cpu["runs"][1]["read_at"]);
  EXPECT_TRUE(cpu["earlier"].is_null());
  EXPECT_TRUE(cpu["unknown"].empty());
}

TEST(ShowAnswer, SaysWhatToAskForOfAJobThatUsesLittle) {
  const SmallState small;
  const auto advice = [&](Duration used, Duration stolen, Duration granted) {
    JobUse use;
    use.granted = granted;
    use.runs = {{0, 1, 7, {0}, {30'000'000}, granted, {used, stolen, Duration{}}}};
    return test::in_form("show", *show_answer(small.state, {1}, use, small.clock))["cpu"]["advice"];
  };
  EXPECT_EQ(
      advice(seconds(23), {}, seconds(100)),
      "its tasks used 23 % of the CPU that they were granted: --cpus 0.3 is enough, or --needs learned, "
      "which finds out while it runs");
  EXPECT_TRUE(advice(seconds(60), {}, seconds(100)).is_null()) << "more than half";
  EXPECT_TRUE(advice(seconds(23), seconds(40), seconds(100)).is_null()) << "others took it";
  EXPECT_TRUE(advice(seconds(5), {}, seconds(50)).is_null()) << "it has not run for long";
}

TEST(ShowAnswer, SaysWhyAnAmountOfCpuIsNotKnown) {
  const SmallState small;
  JobUse use = some_use();
  use.runs.push_back({0, 1, 9, {1}, {90'000'000}, seconds(1), {seconds(1), seconds(1), {}}});
  json cpu = test::in_form("show", *show_answer(small.state, {1}, use, small.clock))["cpu"];
  EXPECT_EQ(cpu["used_s"], 34.0);
  EXPECT_TRUE(cpu["throttled_s"].is_null());
  EXPECT_TRUE(cpu["stolen_s"].is_null());
  EXPECT_TRUE(cpu["unknown"]["throttled_s"].get<std::string>().starts_with("node n1 does not tell"));
  EXPECT_EQ(cpu["runs"][0]["throttled_s"], 2.0);
  cpu = test::in_form("show", *show_answer(small.state, {2}, JobUse{}, small.clock))["cpu"];
  EXPECT_EQ(cpu["granted_s"], 0.0);
  for (const char* key : {"used_s", "stolen_s", "throttled_s", "accuracy"}) {
    EXPECT_TRUE(cpu[key].is_null()) << key;
    EXPECT_TRUE(cpu["unknown"].contains(key)) << key;
  }
  EXPECT_TRUE(test::in_form("show", show_answer(small.state.view, small.ended(), {}, small.clock))["cpu"]
                  .is_null());
}

}  // namespace
}  // namespace aliquot
