#include "tools/ctl/begin_time.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace aliquot::ctl {
namespace {

constexpr std::time_t kNow = 1'796'124'600;  // 2026-12-01T11:30:00Z

std::time_t begins(const char* text) {
  const auto at = parse_begin(text, kNow);
  return at ? *at - kNow : -1;
}

struct begin_time : testing::Test {
  begin_time() { setenv("TZ", "UTC-2", 1), tzset(); }  // two hours before UTC: it is 13:30 there
  ~begin_time() override { unsetenv("TZ"), tzset(); }
};

TEST_F(begin_time, counts_from_now) {
  EXPECT_EQ(begins("now"), 0);
  EXPECT_EQ(begins("now+2h"), 7200);
  EXPECT_EQ(begins("now+120"), 120) << "as with sbatch, seconds";
  EXPECT_EQ(begins("now+2hours"), 7200);
  EXPECT_EQ(begins("now+1week"), 604'800);
}

TEST_F(begin_time, is_the_next_such_time_of_the_day) {
  EXPECT_EQ(begins("14:00"), 1800);
  EXPECT_EQ(begins("13:30"), 86'400) << "tomorrow";
  EXPECT_EQ(begins("12:00Z"), 1800);
}

TEST_F(begin_time, is_a_date_of_this_time_zone_or_of_utc) {
  EXPECT_EQ(begins("2026-12-01T14:00"), 1800);
  EXPECT_EQ(begins("2026-12-01T12:00:30Z"), 1830);
  EXPECT_EQ(begins("2026-12-02"), 37'800);
  EXPECT_EQ(begins("2026-12-01T13:00"), -1800) << "past: it may start at once";
}

TEST_F(begin_time, that_is_wrong_is_refused) {
  for (const char* wrong : {"", "tomorrow", "25:00", "12:60", "2026-13-01", "2026-12-32", "now+", "now-1h",
                            "now+x", "12", "Z", "1960-01-01"}) {
    const auto at = parse_begin(wrong, kNow);
    ASSERT_FALSE(at) << wrong;
    EXPECT_EQ(at.error().kind, ErrorKind::invalid_argument);
  }
}

}  // namespace
}  // namespace aliquot::ctl
