#include "policies/moldable/speedup_text.hpp"

#include <gtest/gtest.h>

namespace aliquot::moldable {
namespace {

TEST(SpeedupText, SaysEachKind) {
  EXPECT_EQ(parse_speedup("perfect").value(), SpeedupModel::perfect());
  EXPECT_EQ(parse_speedup("amdahl:0.05").value(), SpeedupModel::amdahl({50'000}).value());
  EXPECT_EQ(parse_speedup("amdahl:1").value(), SpeedupModel::amdahl({kMillion}).value());
  EXPECT_EQ(parse_speedup("downey:16:0.5").value(),
            SpeedupModel::downey({16 * kMillion}, {500'000}).value());
  EXPECT_EQ(parse_speedup("table:2=1.9,4=3.5").value(),
            SpeedupModel::table({{2, {1'900'000}}, {4, {3'500'000}}}).value());
}

TEST(SpeedupText, IsRefusedWithWhatMayBeWritten) {
  for (const std::string text :
       {"", "amdahl", "amdahl:", "amdahl:-0.5", "amdahl:0.1234567", "amdahl:1e3", "amdahl:0.05:1",
        "downey:16", "downey:16:", "downey::1", "table:", "table:2", "table:2=x", "table:1.5=1",
        "table:2=1.9,,4=3", "table:9999999999=1", "Perfect", "perfect:1", "amdahl: 0.05"}) {
    const auto parsed = parse_speedup(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().kind, ErrorKind::invalid_argument) << text;
  }
  EXPECT_NE(parse_speedup("gustafson:2").error().message.find("write perfect, amdahl:SERIAL"),
            std::string::npos);
  EXPECT_FALSE(parse_speedup("table:2=1.9" + std::string(5000, ',')));
}

TEST(SpeedupText, WhatNoModelAllowsIsItsOwnError) {
  EXPECT_NE(parse_speedup("amdahl:1.5").error().message, parse_speedup("amdahl:x").error().message);
  EXPECT_FALSE(parse_speedup("table:2=3"));
}

}  // namespace
}  // namespace aliquot::moldable
