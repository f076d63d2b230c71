#include "tools/sim/decimal.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

Decimal number(std::string_view text) {
  const auto value = parse_decimal(text);
  EXPECT_TRUE(value) << text;
  return value.value_or(Decimal{-1});
}

// Nineteen digits pass 63 bits, a sanitizer says so; whoever reads them at once must not.
TEST(Decimal, nineteen_digits_are_too_large_or_mostly_zeros) {
  const auto large = parse_decimal("9999999999999999999");
  ASSERT_FALSE(large);
  EXPECT_NE(std::string::npos, large.error().message.find("is too large"));
  EXPECT_EQ(Int128{12} * kPico, parse_decimal("0000000000000000012")->pico);
  EXPECT_EQ(Int128{123'456'789'012'345'678} * 1'000'000, parse_decimal("123456789012.345678")->pico);
}

TEST(Decimal, ReadsWhatIsWrittenExactly) {
  EXPECT_EQ(number("0").pico, 0);
  EXPECT_EQ(number("12").pico, 12 * kPico);
  EXPECT_EQ(number("-3.5").pico, -35 * kPico / 10);
  EXPECT_EQ(number(".25").pico, kPico / 4);
  EXPECT_EQ(number("2.").pico, 2 * kPico);
  EXPECT_EQ(number("1e3").pico, 1000 * kPico);
  EXPECT_EQ(number("1E-05").pico, kPico / 100'000);
  EXPECT_EQ(number("0000000000000000000000000000000000000000000001").pico, kPico);
  EXPECT_EQ(number("0.000001e6").pico, kPico);
}

TEST(Decimal, RoundsTheNoiseOfDoublesAway) {
  EXPECT_EQ(number("0.30000000000000004"), number("0.3"));
  EXPECT_EQ(number("0.29999999999999999"), number("0.3"));
  EXPECT_EQ(number("1e-300").pico, 0);
}

TEST(Decimal, RefusesWhatIsNoNumber) {
  for (const char* text :
       {"", " ", ".", "-", "e5", "1e", "1e+", "1.2.3", "1,5", "nan", "inf", "0x10", "1 2", "5s"}) {
    EXPECT_FALSE(parse_decimal(text)) << text;
  }
  EXPECT_FALSE(parse_decimal("1e16"));
  EXPECT_FALSE(parse_decimal("1e301"));
  EXPECT_FALSE(parse_decimal(std::string(500, '0')));
}

TEST(Decimal, CountsAreWholeAndBounded) {
  EXPECT_EQ(parse_count("7", 7).value(), 7U);
  EXPECT_EQ(parse_count("3.0", 7).value(), 3U);
  EXPECT_FALSE(parse_count("8", 7));
  EXPECT_FALSE(parse_count("3.5", 7));
  EXPECT_FALSE(parse_count("-1", 7));
}

TEST(Decimal, BecomesUnitsAsTheirNamesSay) {
  EXPECT_EQ(to_duration(number("1.0000005")).raw, 1'000'001);
  EXPECT_EQ(to_duration(number("1.0000004")).raw, 1'000'000);
  EXPECT_EQ(cpu_of(number("0.25"), cores(4)), cores(1));
  EXPECT_EQ(memory_of(number("0.1"), Memory{8'000'000'000}).raw, 800'000'000);
  EXPECT_EQ(memory_of(number("0.3333"), Memory{10}).raw, 4);
  EXPECT_EQ(ratio_up(1, 3).pico, 333'333'333'334);
}

TEST(Decimal, PrintsTheShortestExactForm) {
  EXPECT_EQ(to_text(number("0.10")), "0.1");
  EXPECT_EQ(to_text(number("-0.5")), "-0.5");
  EXPECT_EQ(to_text(number("100")), "100");
  EXPECT_EQ(to_text(Duration{}), "0");
  EXPECT_EQ(to_text(Duration{60'250'000}), "60.25");
  EXPECT_EQ(to_text(VirtualTime{1}), "0.000000000001");
  EXPECT_EQ(to_text(1.0), "1");
  EXPECT_EQ(to_text(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(to_text(1e21), "1000000000000000000000");
}

}  // namespace
}  // namespace aliquot
