#include "policies/needs/use_window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace aliquot::needs {
namespace {

Observation seen(Instant from, Duration span, std::int64_t used_percent, std::int64_t allowed_percent) {
  Observation made;
  made.from = from;
  made.to = from + span;
  made.used = {used_percent * kMillion / 100};
  made.allowed = {allowed_percent * kMillion / 100};
  made.throttled = made.waited = Duration{};
  return made;
}

// A second in which it used this and was ready for `waited` more, held back by its cap.
Observation starved(Instant from, std::int64_t used_percent, std::int64_t waited_percent,
                    std::uint32_t vcpus) {
  Observation made = seen(from, seconds(1), used_percent, used_percent);
  made.waited = made.throttled = Duration{waited_percent * kMillion / 100};
  made.vcpus = vcpus;
  return made;
}

// All observations are kept, and the parts made anew for each question.
class ReferenceWindow {
 public:
  void observe(const Observation& one) {
    if (!all_.empty() && all_.back().to != one.from) all_.clear();
    all_.push_back(one);
  }

  // Of observations that are not throttled.
  [[nodiscard]] std::optional<Cpu> need() const {
    struct Part {
      Int128 cpu = 0;
      std::int64_t span = 0;
    };
    std::vector<Part> parts(1);
    for (const Observation& one : all_) {
      parts.back().cpu += Int128{one.used.raw} * (one.to - one.from).raw;
      parts.back().span += (one.to - one.from).raw;
      if (parts.back().span >= seconds(5).raw) parts.emplace_back();
    }
    parts.pop_back();  // not complete
    std::int64_t reached = 0;
    Cpu largest;
    while (!parts.empty() && reached < seconds(20).raw) {
      const Part last = parts.back();
      parts.pop_back();
      reached += last.span;
      largest = std::max(largest, Cpu{static_cast<std::int64_t>(last.cpu / last.span)});
    }
    return reached >= seconds(20).raw ? std::optional(largest) : std::nullopt;
  }

 private:
  std::vector<Observation> all_;
};

TEST(UseWindow, IsAsLongAsTheReferenceSays) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    UseWindow window;
    ReferenceWindow reference;
    Instant now{1};
    for (int i = 0; i < 120; ++i) {
      if (random() % 50 == 0) now = now + seconds(3);  // a gap
      const bool is_long = random() % 10 == 0;
      const Duration span{static_cast<std::int64_t>(1 + random() % (is_long ? 90'000'000 : 2'000'000))};
      const Observation one = seen(now, span, static_cast<std::int64_t>(random() % 90), 100);
      window.observe(one);
      reference.observe(one);
      now = one.to;
      const auto expected = reference.need();
      const auto found = window.whole().need;
      ASSERT_EQ(found.has_value(), expected.has_value());
      if (found) {
        ASSERT_NEAR(static_cast<double>(found->raw), static_cast<double>(expected->raw), 100);
      }
    }
  }
}

TEST(UseWindow, WhatIsNotThrottledNeedsWhatItUses) {
  UseWindow window;
  window.observe(seen(Instant{}, seconds(25), 30, 100));
  EXPECT_FALSE(window.latest()->throttled);
  EXPECT_EQ(window.whole().need, (Cpu{300'000}));
}

TEST(UseWindow, WhereThrottledTimeIsUnknownWhatItWaitedTells) {
  UseWindow window;
  Observation one = starved(Instant{}, 25, 25, 1);
  one.throttled.reset();
  window.observe(one);
  EXPECT_TRUE(window.latest()->throttled);
  one = starved(Instant{} + seconds(1), 25, 4, 1);
  one.throttled.reset();
  window.observe(one);
  EXPECT_FALSE(window.latest()->throttled);
}

TEST(UseWindow, WhereNeitherIsKnownTheNeedIsNot) {
  UseWindow window;
  Observation one = seen(Instant{}, seconds(25), 48, 50);
  one.waited = one.throttled = std::nullopt;
  window.observe(one);
  EXPECT_TRUE(window.latest()->throttled) << "it used nearly all that it was allowed";
  EXPECT_FALSE(window.latest()->need);
  EXPECT_FALSE(window.whole().need);
  EXPECT_EQ(window.whole().used, (Cpu{480'000}));
}

TEST(UseWindow, AThreadThatOnlyWaitsNeedsAWholeCore) {
  UseWindow window;
  window.observe(starved(Instant{}, 25, 75, 1));
  EXPECT_EQ(window.latest()->need, cores(1));
}

TEST(UseWindow, AThreadThatSleepsHalfOfTheTimeNeedsHalfACoreWhenItIsStarved) {
  UseWindow window;
  window.observe(starved(Instant{}, 20, 60, 1));
  EXPECT_EQ(window.latest()->need, (Cpu{500'000}));
}

TEST(UseWindow, AVcpuWithoutAThreadDoesNotCount) {
  UseWindow window;
  window.observe(starved(Instant{}, 25, 75, 2));
  EXPECT_EQ(window.latest()->need, cores(1));
  window.observe(starved(Instant{} + seconds(1), 50, 150, 2));
  EXPECT_EQ(window.latest()->need, cores(2));
}

TEST(UseWindow, CoresOfAFasterNodeAreCountedInReferenceCores) {
  UseWindow window;
  Observation one = starved(Instant{}, 50, 75, 1);  // a quarter of a core that is twice as fast
  one.speed_ppm = 2 * kMillion;
  window.observe(one);
  EXPECT_EQ(window.latest()->need, cores(2));
}

TEST(UseWindow, DoesNotReachAcrossAGap) {
  UseWindow window;
  window.observe(seen(Instant{}, seconds(25), 90, 100));
  window.observe(seen(Instant{} + seconds(26), seconds(19), 10, 100));
  EXPECT_FALSE(window.whole().need);
  window.observe(seen(Instant{} + seconds(45), seconds(5), 10, 100));
  EXPECT_EQ(window.whole().need, (Cpu{100'000}));
}

TEST(UseWindow, StaysSmall) { EXPECT_LE(sizeof(UseWindow), 400U); }

}  // namespace
}  // namespace aliquot::needs
