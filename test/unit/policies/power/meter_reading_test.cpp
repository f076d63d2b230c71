// What meters say, and what a node has drawn between two readings of its counters.
#include "policies/power/meter_reading.hpp"

#include <gtest/gtest.h>

#include <string>

namespace aliquot::power {
namespace {

MeterReading reading(const std::string& line) {
  const auto parsed = parse_meter(line);
  EXPECT_TRUE(parsed) << line;
  return parsed ? *parsed : MeterReading{};
}

TEST(meter_reading, is_watts_or_counters) {
  EXPECT_EQ(reading("watts 231").draw, watts(231));
  EXPECT_EQ(reading("  watts 231.5678 \r").draw, Watts{231'567});
  EXPECT_EQ(reading("watts 0.05").draw, Watts{50});
  EXPECT_EQ(reading("watts 100000").draw, kMostMeasured);
  EXPECT_EQ(reading("microjoules 5 262143328850 7 65532610987").counters,
            (std::vector<EnergyCounter>{{5, 262143328850}, {7, 65532610987}}));
}

TEST(meter_reading, is_nothing_else) {
  for (const char* wrong :
       {"", "watts", "watts -1", "watts 1e3", "watts 1.", "watts .", "watts 1 2", "watts 100001",
        "watts 100000.5", "watts 99999999999999999999", "231", "Watts 231", "microjoules", "microjoules 5",
        "microjoules 5 x", "microjoules -5 9", "microjoules 9 5", "microjoules 1 9223372036854775807"}) {
    const auto parsed = parse_meter(wrong);
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_EQ(parsed.error().kind, ErrorKind::invalid_argument);
    EXPECT_NE(parsed.error().message.find("`watts N`"), std::string::npos);
  }
  std::string many = "microjoules";
  for (int zone = 0; zone < 65; ++zone) many += " 1 2";
  EXPECT_FALSE(parse_meter(many));
  EXPECT_LT(parse_meter(std::string(100'000, 'x')).error().message.size(), 300U);
}

TEST(meter_reading, of_counters_is_the_average_between_two) {
  const auto before = reading("microjoules 1000000 5000000 2000000 9000000");
  const auto now = reading("microjoules 2000000 5000000 5000000 9000000");
  EXPECT_EQ(draw_between(before, now, seconds(2)), watts(2)) << "1 J and 3 J in 2 s";
}

TEST(meter_reading, goes_on_where_a_counter_has_begun_anew) {
  const auto before = reading("microjoules 262143000000 262143328850");
  const auto now = reading("microjoules 671150 262143328850");
  EXPECT_EQ(draw_between(before, now, seconds(1)), watts(1));
}

TEST(meter_reading, of_other_counters_or_of_too_much_tells_nothing) {
  const auto before = reading("microjoules 1000000 5000000");
  EXPECT_EQ(draw_between(before, before, seconds(0)), std::nullopt);
  EXPECT_EQ(draw_between(before, reading("microjoules 2000000 6000000"), seconds(1)), std::nullopt);
  EXPECT_EQ(draw_between(before, reading("microjoules 2 5000000 3 5000000"), seconds(1)), std::nullopt);
  EXPECT_EQ(draw_between(before, reading("watts 5"), seconds(1)), std::nullopt);
  EXPECT_EQ(draw_between(reading("watts 5"), reading("watts 5"), seconds(1)), std::nullopt);
  const auto booted = reading("microjoules 0 262143328850");
  EXPECT_EQ(draw_between(reading("microjoules 1 262143328850"), booted, seconds(1)), std::nullopt)
      << "262 kW: it has booted, and begins at 0";
}

}  // namespace
}  // namespace aliquot::power
