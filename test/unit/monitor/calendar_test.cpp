// Where the manager's time continues after a start, and the dates of its Instants, with clocks that are
// wrong.
#include "monitor/calendar.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

constexpr std::int64_t kSecond = kMillion;
constexpr std::int64_t kYear = 365 * 86'400 * kSecond;
constexpr std::int64_t kNow = 1'800'000'000 * kSecond;  // in 2027
constexpr Instant kHour{3600 * kSecond};

// A run that began at Instant 0 when the machine had been up for 100 s.
ClockRow run(std::uint64_t epoch, Instant first, std::int64_t wall_us, const std::string& boot = "b1") {
  return {epoch, first, wall_us - first.raw, boot, 100 * kSecond};
}
ClockReading reading(std::int64_t wall_us, Instant by_uptime, const std::string& boot = "b1") {
  return {wall_us, boot, by_uptime.raw + 100 * kSecond};
}

TEST(ResumeAt, ANewStoreBeginsAtOnce) { EXPECT_EQ(resume_at({}, {}, reading(kNow, {})), Instant{1}); }

TEST(ResumeAt, WithinABootTheUptimeSaysHowLongTheManagerWasAway) {
  const Instant last = kHour - seconds(10);
  for (const std::int64_t wrong : {std::int64_t{0}, 20 * kYear, -50 * kYear})
    EXPECT_EQ(resume_at({run(1, {}, kNow)}, last, reading(kNow + kHour.raw + wrong, kHour)), kHour)
        << wrong;
}

TEST(ResumeAt, AfterABootTheWallClockDoes) {
  EXPECT_EQ(resume_at({run(1, {}, kNow)}, {7}, reading(kNow + kHour.raw, {}, "b2")), kHour);
  EXPECT_EQ(resume_at({{1, {}, kNow, "", 0}}, {7}, reading(kNow + kHour.raw, {}, "")), kHour)
      << "the boot is not known";
}

TEST(ResumeAt, AClockThatIsYearsOffDoesNotCountAsAnAbsence) {
  const Instant next = kHour + Duration{1};
  EXPECT_EQ(resume_at({run(1, {}, kNow)}, kHour, reading(kNow + 20 * kYear, {}, "b2")), next);
  EXPECT_EQ(resume_at({run(1, {}, kNow)}, kHour, reading(0, {}, "b2")), next);
  EXPECT_EQ(resume_at({run(1, {}, 0)}, kHour, reading(kNow, {}, "b2")), next) << "born at a wrong date";
}

TEST(ResumeAt, TimeNeverGoesBack) {
  EXPECT_EQ(resume_at({run(1, {}, kNow)}, kHour, reading(kNow, {})), kHour + Duration{1});
}

TEST(Dates, OfOneRunFollowItsClock) {
  const Calendar calendar({run(1, {}, kNow)});
  EXPECT_EQ(calendar.unix_us(kHour), kNow + kHour.raw);
}

TEST(Dates, ALaterRunMayHaveAnotherOffset) {
  const Calendar calendar({run(1, {}, kNow), run(2, kHour, kNow + 3 * kHour.raw)});
  EXPECT_EQ(calendar.unix_us(kHour - seconds(1)), kNow + kHour.raw - kSecond);
  EXPECT_EQ(calendar.unix_us(kHour + seconds(1)), kNow + 3 * kHour.raw + kSecond);
}

TEST(Dates, ARunWithAClockOfTheFutureEndsWhenTheNextBegins) {
  const Calendar calendar({run(1, {}, kNow), run(2, kHour, kNow + 20 * kYear),
                           run(3, kHour + seconds(60), kNow + kHour.raw + 90 * kSecond)});
  EXPECT_EQ(calendar.unix_us(kHour - seconds(1)), kNow + kHour.raw - kSecond);
  EXPECT_EQ(calendar.unix_us(kHour + seconds(60)), kNow + kHour.raw + 90 * kSecond);
  EXPECT_EQ(calendar.unix_us(kHour + seconds(59)), kNow + kHour.raw + 89 * kSecond);
}

TEST(Dates, ARunWithAClockBeforeTheProgramGoesOnFromTheRunBefore) {
  const Calendar calendar({run(1, {}, kNow), run(2, kHour, 0)});
  EXPECT_EQ(calendar.unix_us(kHour + seconds(1)), kNow + kHour.raw + kSecond);
}

TEST(Dates, AStoreThatWasMadeBeforeTheProgramGetsTheDatesOfTheNextRun) {
  const Calendar calendar({run(1, {}, 0), run(2, kHour, kNow)});
  EXPECT_EQ(calendar.unix_us(kHour - seconds(1)), kNow - kSecond);
  EXPECT_EQ(calendar.unix_us(kHour), kNow);
}

}  // namespace
}  // namespace aliquot
