#include "monitor/profile_text.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

TEST(profile_text, says_how_many_tasks_and_from_when_on) {
  const auto profile = parse_profile("60s:1,5m:4,2");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->tasks, 1U);
  EXPECT_EQ(profile->later, (std::vector<LaterStep>{{seconds(60), 4}, {seconds(360), 2}}));
}

TEST(profile_text, is_printed_as_it_is_read) {
  for (const std::string text : {"60s:1,300s:4,2", "1.5s:7,7"}) {
    const auto profile = parse_profile(text);
    ASSERT_TRUE(profile) << profile.error().message;
    const std::string printed = print_profile(profile->tasks, profile->later);
    const auto again = parse_profile(printed);
    ASSERT_TRUE(again) << printed;
    EXPECT_EQ(again->later, profile->later);
    EXPECT_EQ(again->tasks, profile->tasks);
  }
}

TEST(profile_text, that_is_wrong_is_refused_with_the_reason) {
  const auto why = [](const std::string& text) {
    const auto profile = parse_profile(text);
    return profile ? "" : profile.error().message.substr(text.size() + 15);
  };
  EXPECT_TRUE(why("4").starts_with("has one step; write DURATION:TASKS")) << why("4");
  EXPECT_TRUE(why("60s:1,5m:4").starts_with("gives its last step a duration")) << why("60s:1,5m:4");
  EXPECT_TRUE(why("1,2").starts_with("has a step without a duration"));
  EXPECT_TRUE(why("60s:0,2").starts_with("has a step whose number of tasks"));
  EXPECT_TRUE(why("60s:1000001,2").starts_with("has a step whose number of tasks"));
  EXPECT_TRUE(why("0s:1,2").starts_with("has a step whose duration"));
  EXPECT_TRUE(why("800d:1,2").starts_with("has a step whose duration"));
  EXPECT_TRUE(why("x:1,2").starts_with("has a step whose duration"));
  std::string many;
  for (int k = 0; k < 101; ++k) many += "1s:1,";
  EXPECT_TRUE(why(many + "1").starts_with("has more than 101"));
}

}  // namespace
}  // namespace aliquot
