#include "tools/sim/workload/true_need_text.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

TEST(TrueNeedText, one_need_holds_for_the_whole_run) {
  EXPECT_EQ(parse_true_needs("0.25", cores(4)).value(), (TrueNeeds{{{}, cores(1)}}));
}

TEST(TrueNeedText, phases_have_durations_but_for_the_last) {
  const TrueNeeds expected{{{}, cores(1)}, {seconds(600), cores(4)}, {seconds(4'200), cores(2)}};
  EXPECT_EQ(parse_true_needs("10m:0.25,1h:1,0.5", cores(4)).value(), expected);
}

TEST(TrueNeedText, what_cannot_be_read_is_refused_with_an_example) {
  for (const char* const text : {"", "0", "-0.5", "1.5", "much", "10m:0.25", "10m:0.25,", "0.25,0.5",
                                 "0s:0.25,0.5", "10:0.25,0.5", "10m:,0.5", "10m:0.25,1h:0.5"}) {
    const auto read = parse_true_needs(text, cores(4));
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find("10m:0.3,1h:0.8,0.2"), std::string::npos) << text;
  }
  std::string long_text;
  for (int k = 0; k < 200; ++k) long_text += "1s:0.5,";
  EXPECT_FALSE(parse_true_needs(long_text + "0.5", cores(4)));
}

}  // namespace
}  // namespace aliquot
