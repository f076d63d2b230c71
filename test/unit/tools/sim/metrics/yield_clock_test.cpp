#include "tools/sim/metrics/yield_clock.hpp"

#include <gtest/gtest.h>

#include <map>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

Instant at(std::int64_t s) { return {s * kMillion}; }
Change runs(std::uint64_t job, std::int64_t percent) {
  return {{job}, {{NodeId{0}, 1}}, {percent * kMillion / 100}};
}
Change pauses(std::uint64_t job) { return {{job}, {}, {}}; }

Step step(Instant now, std::vector<Change> changes, std::vector<std::uint64_t> ended = {}) {
  Step made;
  made.now = now;
  made.decision = Decision{"P", {}, {std::move(changes), {}, {}}, true, {}, 0};
  for (const std::uint64_t job : ended) {
    JobOutcome outcome;
    outcome.job = {job};
    made.ended.push_back(outcome);
  }
  return made;
}

TEST(YieldClock, WeighsByTime) {
  YieldClock clock;
  clock.take(step(at(0), {runs(1, 100)}), {});
  clock.take(step(at(10), {runs(1, 50), runs(2, 50)}), {});  // 10 s of one at 1
  clock.take(step(at(30), {pauses(2), runs(1, 100)}), {});   // 20 s of two at 0.5
  clock.take(step(at(40), {}, {1}), {});                     // 10 s of one at 1
  clock.take(step(at(100), {runs(2, 25)}), {});              // 60 s of no job
  clock.take(step(at(110), {}, {2}), {});                    // 10 s of one at 0.25
  const YieldFigures figures = clock.figures();
  EXPECT_DOUBLE_EQ(figures.mean, (10 + 20 + 10 + 2.5) / (10 + 40 + 10 + 10));
  EXPECT_DOUBLE_EQ(figures.lowest, 0.25);
  EXPECT_DOUBLE_EQ(figures.mean_lowest, (10 + 10 + 10 + 2.5) / 50);
  EXPECT_DOUBLE_EQ(figures.mean_running, 70.0 / 110);
}

TEST(YieldClock, DoesNotCountWhatLastedNoTime) {
  YieldClock clock;
  clock.take(step(at(0), {runs(1, 1)}), {});
  clock.take(step(at(0), {runs(1, 100)}), {});
  clock.take(step(at(5), {}, {1}), {});
  EXPECT_DOUBLE_EQ(clock.figures().lowest, 1);
}

TEST(YieldClock, OnlyCountsPlansThatWereAdopted) {
  YieldClock clock;
  clock.take(step(at(0), {runs(1, 100)}), {});
  Step refused = step(at(1), {runs(1, 10)});
  refused.decision->adopted = false;
  clock.take(refused, {});
  clock.take(step(at(5), {}, {1}), {});
  EXPECT_DOUBLE_EQ(clock.figures().lowest, 1);
}

TEST(YieldClock, LooksAtTheViewWhenANodeHasChanged) {
  YieldClock clock;
  clock.take(step(at(0), {runs(1, 100), runs(2, 40)}), {});
  Step lost;
  lost.now = at(10);
  lost.events.emplace_back(NodeChanged{NodeId{0}, NodeState::down, ""});
  ClusterView after;
  Job still;
  still.id = {1};
  still.phase = Phase::running;
  still.yield = kFullYield;
  after.jobs.emplace(still.id, still);
  clock.take(lost, after);
  clock.take(step(at(30), {}, {1}), {});
  EXPECT_DOUBLE_EQ(clock.figures().mean, (10 + 4 + 20) / 40.0);
  EXPECT_DOUBLE_EQ(clock.figures().mean_lowest, (4 + 20) / 30.0);
}

// Against a list that is gone through at every step.
TEST(YieldClock, EqualsTheNaiveSumOnRandomSteps) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    test::Dice dice(seed);
    YieldClock clock;
    std::map<std::uint64_t, double> yields;
    double sum = 0, count = 0, lowest = 0, busy = 0, least = 1;
    std::int64_t now = 0;
    for (int i = 0; i < 60; ++i) {
      const std::int64_t span = i == 0 ? 0 : dice.between(0, 3);
      now += span;
      double min = 1;
      for (const auto& [job, yield] : yields) {
        sum += yield * static_cast<double>(span);
        min = std::min(min, yield);
      }
      count += static_cast<double>(yields.size()) * static_cast<double>(span);
      if (!yields.empty() && span > 0) {
        busy += static_cast<double>(span);
        lowest += min * static_cast<double>(span);
        least = std::min(least, min);
      }
      std::vector<Change> changes;
      std::vector<std::uint64_t> ended;
      for (std::uint64_t job = 0; job < 6; ++job) {
        if (!dice.chance(40)) continue;
        const std::int64_t percent = dice.between(0, 5) * 20;
        changes.push_back(percent == 0 ? pauses(job) : runs(job, percent));
        yields.erase(job);
        if (percent > 0) yields[job] = static_cast<double>(percent) / 100;
      }
      if (changes.empty() && !yields.empty()) {
        ended.push_back(yields.begin()->first);
        yields.erase(yields.begin());
      }
      clock.take(step(at(now), changes, ended), {});
    }
    if (busy == 0) continue;
    const YieldFigures figures = clock.figures();
    ASSERT_NEAR(figures.mean, sum / count, 1e-9) << "seed " << seed;
    ASSERT_NEAR(figures.mean_lowest, lowest / busy, 1e-9) << "seed " << seed;
    ASSERT_NEAR(figures.lowest, least, 1e-9) << "seed " << seed;
    ASSERT_NEAR(figures.mean_running, count / static_cast<double>(now), 1e-9) << "seed " << seed;
  }
}

}  // namespace
}  // namespace aliquot
