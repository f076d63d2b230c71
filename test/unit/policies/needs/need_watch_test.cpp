#include "policies/needs/need_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "test/unit/policies/needs/small_program.hpp"

namespace aliquot::needs {
namespace {

NeedTerms terms(NeedMode mode, Cpu declared, Cpu most = cores(1), Cpu guaranteed = {}) {
  return {mode, declared, guaranteed, most};
}

WatchedJob job(Cycle cycle, const NeedTerms& with) { return {SmallProgram(cycle), with}; }

TEST(NeedWatch, ATaskThatDeclaresAllAndUsesThirtyPercentIsFoundWithinAMinute) {
  WatchedJob watched = job({30, 70}, terms(NeedMode::learned, cores(1)));
  watched.live(60);
  const auto estimate = watched.watch.estimate(watched.now);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(static_cast<double>(estimate->need.raw), 300'000, 50'000);
  EXPECT_NEAR(static_cast<double>(watched.need.raw), 330'000, 20'000);
  ASSERT_EQ(watched.changes.size(), 1U);
  EXPECT_EQ(watched.changes[0].kind, ChangeKind::uses_less);
  watched.live(3600);
  EXPECT_EQ(watched.changes.size(), 1U) << "it stays there";
}

TEST(NeedWatch, OneThatDeclaresTenPercentAndWouldUseEightyIsFoundByProbes) {
  WatchedJob watched = job({80, 20}, terms(NeedMode::learned_up, percent(10)));
  watched.live(90);
  EXPECT_NEAR(static_cast<double>(watched.need.raw), 880'000, 130'000);
  const auto estimate = watched.watch.estimate(watched.now);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(static_cast<double>(estimate->need.raw), 800'000, 50'000);
}

TEST(NeedWatch, WithoutProbesADeclaredNeedIsNeverExceeded) {
  WatchedJob watched = job({80, 20}, terms(NeedMode::learned, percent(10)));
  watched.live(600);
  EXPECT_TRUE(watched.changes.empty());
}

TEST(NeedWatch, AProbeThatGetsNoMoreCpuIsUndoneAndRareFromThenOn) {
  WatchedJob watched = job({1, 0}, terms(NeedMode::learned_up, percent(50)));
  SmallProgram same({1, 0});
  watched.live(4 * 3600, [&](Observation& seen) {  // the node has no more
    seen = same.run(seen.from, seconds(1), percent(50));
  });
  EXPECT_EQ(watched.need, percent(50));
  EXPECT_LE(watched.changes.size(), 2 * 10U);
  EXPECT_EQ(watched.changes[0].kind, ChangeKind::probed);
  EXPECT_EQ(watched.changes[1].kind, ChangeKind::probe_undone);
  EXPECT_GE((watched.changed_at[1] - watched.changed_at[0]), seconds(6));
}

TEST(NeedWatch, NoProbeBeginsWithoutLeave) {
  NeedWatch watch(terms(NeedMode::learned_up, percent(10)));
  SmallProgram program({1, 0});
  Instant now{};
  for (int s = 0; s < 60; ++s) {
    watch.observe(program.run(now, seconds(1), percent(10)));
    now = now + seconds(1);
    EXPECT_FALSE(watch.decide(percent(10), kFullYield, now, false));
  }
  const auto probed = watch.decide(percent(10), kFullYield, now, true);
  ASSERT_TRUE(probed);
  EXPECT_EQ(probed->kind, ChangeKind::probed);
  EXPECT_EQ(probed->need, percent(20));
  EXPECT_TRUE(watch.is_probed());
}

TEST(NeedWatch, AProbeThatTheCoreRefusesChangesNothing) {
  NeedWatch watch(terms(NeedMode::learned_up, percent(10)));
  SmallProgram program({1, 0});
  Instant now{};
  std::vector<NeedChange> changes;
  for (int s = 0; s < 30; ++s) {
    watch.observe(program.run(now, seconds(1), percent(10)));
    now = now + seconds(1);
    if (const auto change = watch.decide(percent(10), kFullYield, now)) changes.push_back(*change);
  }
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[1].kind, ChangeKind::probe_undone);
  EXPECT_EQ(changes[1].need, percent(10));
}

TEST(NeedWatch, AProbeOfAJobThatIsPausedEnds) {
  NeedWatch watch(terms(NeedMode::learned_up, percent(10)));
  SmallProgram program({1, 0});
  watch.observe(program.run(Instant{}, seconds(1), percent(10)));
  ASSERT_TRUE(watch.decide(percent(10), kFullYield, Instant{} + seconds(1)));
  watch.forget();
  EXPECT_FALSE(watch.decide(percent(20), Yield{}, Instant{} + seconds(30)));
  const auto undone = watch.decide(percent(20), Yield{}, Instant{} + seconds(61));
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->kind, ChangeKind::probe_undone);
  EXPECT_EQ(undone->need, percent(10));
}

TEST(NeedWatch, AnotherPhaseIsFollowedWithinHalfAMinute) {
  WatchedJob watched = job({80, 20}, terms(NeedMode::learned, cores(1)));
  watched.live(300);
  EXPECT_NEAR(static_cast<double>(watched.need.raw), 880'000, 30'000);
  watched.program.set_cycle({20, 80});
  watched.live(30);
  EXPECT_NEAR(static_cast<double>(watched.need.raw), 220'000, 30'000);
  watched.live(300);
  watched.program.set_cycle({90, 10});
  watched.live(2);
  EXPECT_EQ(watched.need, cores(1)) << "what it gave to others is back at once";
}

TEST(NeedWatch, BurstsOfAFewMillisecondsAreAveraged) {
  WatchedJob watched = job({5, 5}, terms(NeedMode::learned, cores(1)));
  watched.live(600);
  EXPECT_NEAR(static_cast<double>(watched.need.raw), 550'000, 30'000);
  EXPECT_EQ(watched.changes.size(), 1U);
}

// The first levels throttle it, and are tried less and less.
TEST(NeedWatch, AJobThatUsesItsShareInBurstsKeepsIt) {
  for (const Cycle cycle : {Cycle{1000, 1000}, Cycle{10'000, 10'000}}) {
    WatchedJob watched = job(cycle, terms(NeedMode::learned, cores(1)));
    std::int64_t below_s = 0;
    for (int s = 0; s < 2 * 3600; ++s) {
      watched.live(1);
      below_s += watched.need < cores(1);
    }
    EXPECT_LE(below_s, 2 * 3600 / 50) << cycle.work_ms;
    EXPECT_LE(watched.changes.size(), 16U) << cycle.work_ms;
  }
}

TEST(NeedWatch, AJobThatIsStarvedIsToldFromOneThatSleeps) {
  WatchedJob sleeper = job({30, 70}, terms(NeedMode::learned, cores(1)));
  WatchedJob worker = job({1, 0}, terms(NeedMode::learned, cores(1)));
  sleeper.yield = worker.yield = {200'000};
  sleeper.live(60);
  worker.live(600);
  EXPECT_NEAR(static_cast<double>(sleeper.need.raw), 330'000, 40'000);
  EXPECT_TRUE(worker.changes.empty());
}

TEST(NeedWatch, AStarvedJobOfALoweredNeedIsRaisedWhenItWouldUseMore) {
  WatchedJob watched = job({20, 80}, terms(NeedMode::learned, cores(1)));
  watched.live(60);
  EXPECT_NEAR(static_cast<double>(watched.need.raw), 220'000, 30'000);
  watched.yield = {500'000};
  watched.program.set_cycle({60, 40});
  watched.live(5);
  EXPECT_GE(watched.need, percent(55));
}

TEST(NeedWatch, AStarvedJobIsRaisedAboveItsDeclaredNeedOnlyIfThatIsAllowed) {
  WatchedJob free_to_grow = job({60, 40}, terms(NeedMode::learned_up, percent(20)));
  WatchedJob bounded = job({60, 40}, terms(NeedMode::learned, percent(20)));
  free_to_grow.yield = bounded.yield = {500'000};
  free_to_grow.live(30);
  bounded.live(600);
  EXPECT_NEAR(static_cast<double>(free_to_grow.need.raw), 660'000, 80'000);
  EXPECT_TRUE(bounded.changes.empty());
}

// As where a real node counts the time of all waiting, but not what part of it is due to the cap.
TEST(NeedWatch, LearnsFromWaitingAlone) {
  WatchedJob watched = job({20, 80}, terms(NeedMode::learned, cores(1)));
  const auto hide = [](Observation& seen) { seen.throttled = std::nullopt; };
  watched.live(60, hide);
  EXPECT_NEAR(static_cast<double>(watched.need.raw), 220'000, 30'000);
  watched.program.set_cycle({1, 0});
  watched.live(2, hide);
  EXPECT_EQ(watched.need, cores(1));
}

// A program whose bursts its cap stretches uses less than it is allowed: its need would fall and fall.
TEST(NeedWatch, NothingIsLoweredWhereWaitingIsUnknown) {
  WatchedJob watched = job({2000, 8000}, terms(NeedMode::learned, cores(1)));
  watched.live(600, [](Observation& seen) { seen.waited = seen.throttled = std::nullopt; });
  EXPECT_TRUE(watched.changes.empty());
}

TEST(NeedWatch, TheGuaranteeIsKept) {
  WatchedJob watched = job({5, 95}, terms(NeedMode::learned, cores(1), cores(1), percent(40)));
  watched.live(600);
  EXPECT_EQ(watched.need, percent(40));
}

TEST(NeedWatch, ADeclaredNeedIsOnlyWatched) {
  WatchedJob watched = job({30, 70}, terms(NeedMode::declared, cores(1)));
  watched.live(600);
  EXPECT_TRUE(watched.changes.empty());
  const auto estimate = watched.watch.estimate(watched.now);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(static_cast<double>(estimate->need.raw), 300'000, 20'000);
  EXPECT_GT(estimate->confidence, 0.9);
}

TEST(NeedWatch, ConfidenceBeginsAnewWithAPhase) {
  WatchedJob watched = job({30, 70}, terms(NeedMode::declared, cores(1)));
  EXPECT_FALSE(watched.watch.estimate(watched.now));
  watched.live(600);
  const double before = watched.watch.estimate(watched.now)->confidence;
  watched.program.set_cycle({60, 40});
  watched.live(30);
  const auto after = watched.watch.estimate(watched.now);
  EXPECT_LT(after->confidence, before * 0.6);
  EXPECT_GE(after->since, Instant{} + seconds(600));
}

TEST(NeedWatch, TheTaskThatNeedsMostDecides) {
  NeedWatch watch(terms(NeedMode::learned, cores(1)));
  SmallProgram little({10, 90});
  SmallProgram much({60, 40});
  Cpu need = cores(1);
  for (Instant now{}; now < Instant{} + seconds(60); now = now + seconds(1)) {
    Observation second = much.run(now, seconds(1), need);
    second.task = 1;
    watch.observe(little.run(now, seconds(1), need));
    watch.observe(second);
    if (const auto change = watch.decide(need, kFullYield, second.to)) need = change->need;
  }
  EXPECT_NEAR(static_cast<double>(need.raw), 660'000, 30'000);
}

TEST(NeedWatch, ATaskThatHasEndedDecidesNothing) {
  NeedWatch watch(terms(NeedMode::learned, cores(1)));
  SmallProgram little({10, 90});
  SmallProgram much({90, 10});
  Cpu need = cores(1);
  for (Instant now{}; now < Instant{} + seconds(120); now = now + seconds(1)) {
    watch.observe(little.run(now, seconds(1), need));
    Observation second = much.run(now, seconds(1), need);
    second.task = 1;
    if (now < Instant{} + seconds(60)) watch.observe(second);
    if (const auto change = watch.decide(need, kFullYield, second.to)) need = change->need;
  }
  EXPECT_NEAR(static_cast<double>(need.raw), 110'000, 20'000);
}

TEST(NeedWatch, NothingIsLearnedAcrossARestore) {
  WatchedJob watched = job({30, 70}, terms(NeedMode::learned, cores(1)));
  for (int i = 0; i < 20; ++i) {
    watched.live(15);
    watched.watch.forget();
  }
  EXPECT_TRUE(watched.changes.empty());
}

TEST(NeedWatch, OldReadingsDecideNothing) {
  WatchedJob watched = job({30, 70}, terms(NeedMode::declared, cores(1)));
  watched.live(60);
  NeedWatch late(terms(NeedMode::learned, cores(1)));
  SmallProgram program({30, 70});
  late.observe(program.run(Instant{}, seconds(30), cores(1)));
  EXPECT_FALSE(late.decide(cores(1), kFullYield, Instant{} + seconds(120)));
}

// The laws, for random loads and yields.
TEST(NeedWatch, KeepsItsBoundsWhateverIsSeen) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    const auto up_to = [&](std::int64_t most) { return static_cast<std::int64_t>(random() % (most + 1)); };
    NeedTerms with;
    with.mode = random() % 2 == 0 ? NeedMode::learned : NeedMode::learned_up;
    with.declared = percent(10 + up_to(190));
    with.guaranteed = {up_to(with.declared.raw)};
    with.most = cores(2);
    NeedWatch watch(with);
    Cpu need = with.declared;
    Instant now{1};
    for (int s = 0; s < 600; ++s) {
      const Yield yield{random() % 2 == 0 ? kMillion : up_to(kMillion)};
      Observation seen{0, now, now + Duration{1 + up_to(3'000'000)}, {}, need * yield, {}, {}, 2};
      seen.used = {up_to(seen.allowed.raw)};
      const Duration span = seen.to - seen.from;
      if (random() % 2 == 0) seen.throttled = Duration{up_to(span.raw)};
      if (random() % 2 == 0) seen.waited = Duration{up_to(2 * span.raw)};
      watch.observe(seen);
      now = seen.to;
      const auto change = watch.decide(need, yield, now);
      if (!change) continue;
      need = change->need;
      ASSERT_GE(need, with.guaranteed);
      ASSERT_LE(need, with.mode == NeedMode::learned ? with.declared : with.most);
      ASSERT_GE(change->confidence, 0);
      ASSERT_LT(change->confidence, 1);
      if (random() % 100 == 0) watch.forget();
    }
  }
}

TEST(NeedWatch, NoPeriodicLoadChangesItsNeedAllTheTime) {
  constexpr std::int64_t hours = 3;
  for (const std::int64_t period_s : {1, 2, 7, 15, 30, 45, 60, 90, 120, 200, 240, 400}) {
    for (const std::int64_t busy_percent : {10, 50, 90}) {
      const std::int64_t work_ms = period_s * 10 * busy_percent;
      for (const NeedMode mode : {NeedMode::learned, NeedMode::learned_up}) {
        for (const Yield yield : {kFullYield, Yield{500'000}}) {
          WatchedJob watched = job({work_ms, period_s * 1000 - work_ms}, terms(mode, percent(80)));
          watched.yield = yield;
          watched.live(hours * 3600);
          EXPECT_LE(watched.changes.size(), hours * 60U)
              << period_s << " s, " << busy_percent << " %, yield " << yield.raw;
        }
      }
    }
  }
}

}  // namespace
}  // namespace aliquot::needs
