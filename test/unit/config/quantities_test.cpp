#include "config/quantities.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace aliquot {
namespace {

TEST(Quantities, DurationsAreExactMicroseconds) {
  EXPECT_EQ(parse_duration("600s")->raw, 600 * kMillion);
  EXPECT_EQ(parse_duration("10m"), seconds(600));
  EXPECT_EQ(parse_duration("1.5h"), seconds(5400));
  EXPECT_EQ(parse_duration("2d"), seconds(172800));
  EXPECT_EQ(parse_duration("100ms")->raw, 100'000);
  EXPECT_EQ(parse_duration("0.000001s")->raw, 1);
  EXPECT_EQ(parse_duration("7us")->raw, 7);
  EXPECT_EQ(parse_duration("0s")->raw, 0);
}

TEST(Quantities, SizesArePowersOf1024) {
  EXPECT_EQ(parse_memory("128MiB"), mebibytes(128));
  EXPECT_EQ(parse_memory("2GiB"), mebibytes(2048));
  EXPECT_EQ(parse_memory("1.5GiB"), mebibytes(1536));
  EXPECT_EQ(parse_memory("1TiB"), mebibytes(1 << 20));
  EXPECT_EQ(parse_memory("4KiB")->raw, 4096);
  EXPECT_EQ(parse_memory("1B")->raw, 1);
}

TEST(Quantities, BandwidthIsInPowersOfAThousand) {
  EXPECT_EQ(parse_bandwidth("200Mbit")->raw, 200'000'000);
  EXPECT_EQ(parse_bandwidth("1.5Gbit")->raw, 1'500'000'000);
  EXPECT_EQ(parse_bandwidth("64kbit")->raw, 64'000);
  EXPECT_EQ(parse_bandwidth("8bit")->raw, 8);
  for (const std::int64_t raw : {0L, 8L, 64'000L, 1'500'000'000L, 2'000'000'000L})
    EXPECT_EQ(parse_bandwidth(print_bandwidth({raw}))->raw, raw);
  EXPECT_EQ(print_bandwidth({1'500'000'000}), "1500Mbit");
}

TEST(Quantities, RatiosAndCoresAreMillionths) {
  EXPECT_EQ(parse_ratio("1.5"), 1'500'000);
  EXPECT_EQ(parse_ratio("40%"), 400'000);
  EXPECT_EQ(parse_ratio("0.0001%"), 1);
  EXPECT_EQ(parse_ratio("0.000001"), 1);
  EXPECT_EQ(parse_cores("1.5")->raw, 1'500'000);
  EXPECT_EQ(parse_cores("2"), cores(2));
  EXPECT_EQ(parse_count("9750"), 9750);
}

struct Refused {
  const char* text;
  const char* because;  // must stand in the message
};

template <class Parse>
void expect_refused(Parse parse, std::initializer_list<Refused> cases) {
  for (const auto& [text, because] : cases) {
    const auto result = parse(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().kind, ErrorKind::invalid_argument) << text;
    EXPECT_NE(result.error().message.find(because), std::string::npos)
        << text << " gave: " << result.error().message;
    EXPECT_NE(result.error().message.find("; write "), std::string::npos) << result.error().message;
  }
}

TEST(Quantities, ADurationWithAFaultIsRefusedWithTheWayOut) {
  expect_refused(parse_duration, {{"600", "the unit is missing"},
                                  {"", "it is empty"},
                                  {"s", "does not begin with a digit"},
                                  {"-5s", "negative"},
                                  {"+5s", "does not begin with a digit"},
                                  {".5s", "does not begin with a digit"},
                                  {"5.s", "digits must follow the point"},
                                  {"1.2.3s", "there is no unit \".3s\""},
                                  {"10 m", "a blank before the unit"},
                                  {"1,5h", "the decimal mark is a point"},
                                  {"10M", "did you mean the unit m?"},
                                  {"10min", "there is no unit \"min\""},
                                  {"1e3s", "there is no unit \"e3s\""},
                                  {"0.5us", "not a whole number of microseconds"},
                                  {"999999999999999999s", "too large"},
                                  {"1234567890123456789s", "too many digits"},
                                  {"5s\n", "there is no unit \"s\\x0a\""}});
}

TEST(Quantities, ASizeWithAFaultIsRefusedWithTheWayOut) {
  expect_refused(parse_memory, {{"512", "the unit is missing"},
                                {"2GB", "did you mean the unit GiB?"},
                                {"2G", "did you mean the unit GiB?"},
                                {"2gib", "did you mean the unit GiB?"},
                                {"0.1GiB", "not a whole number of bytes"},
                                {"9000000000TiB", "too large"},
                                {"nan", "does not begin with a digit"}});
}

TEST(Quantities, ABandwidthWithAFaultIsRefusedWithTheWayOut) {
  expect_refused(parse_bandwidth, {{"200", "the unit is missing"},
                                   {"200mbit", "did you mean the unit Mbit?"},
                                   {"200MiB", "there is no unit"},
                                   {"0.5bit", "not a whole number of bits per second"}});
}

TEST(Quantities, ANumberWithAFaultIsRefusedWithTheWayOut) {
  expect_refused(parse_ratio, {{"1.5x", "\"x\" stands behind the number"},
                               {"%", "it is empty"},
                               {"40 %", "\" \" stands behind the number"},
                               {"0.0000001", "not a whole number of millionths"},
                               {"inf", "does not begin with a digit"}});
  expect_refused(parse_cores, {{"1500m", "\"m\" stands behind the number"}, {"-1", "negative"}});
  expect_refused(parse_count,
                 {{"1.5", "not a whole number of units"}, {"0x10", "stands behind the number"}});
}

TEST(Quantities, WhatIsPrintedParsesBackToTheSameValue) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto raw = static_cast<std::int64_t>(random() >> (12 + random() % 50));
    if (raw >= 999'999'999'999'999'999) continue;
    EXPECT_EQ(parse_duration(print_duration({raw})), Duration{raw});
    EXPECT_EQ(parse_memory(print_memory({raw})), Memory{raw});
    if (raw < 999'999'999'999'999) {
      EXPECT_EQ(parse_ratio(print_ratio(raw)), raw);
      EXPECT_EQ(parse_cores(print_cores({raw})), Cpu{raw});
    }
  }
  EXPECT_EQ(print_duration(seconds(600)), "10m");
  EXPECT_EQ(print_duration({0}), "0s");
  EXPECT_EQ(print_memory(mebibytes(1536)), "1536MiB");
  EXPECT_EQ(print_ratio(1'500'000), "1.5");
  EXPECT_EQ(print_cores(cores(2)), "2");
}

TEST(Quantities, AQuotedTextIsBoundedAndPrintable) {
  EXPECT_EQ(quote("a\"b\n"), "\"a\\\"b\\x0a\"");
  EXPECT_EQ(quote(std::string(1000, 'x')).size(), 60u + 5u);
}

}  // namespace
}  // namespace aliquot
