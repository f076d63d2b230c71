// How much the tasks of a job wait for each other: what a migration of some of them costs the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "test/unit/manager/hypervisor/model/one_job.hpp"

namespace aliquot {
namespace {

constexpr std::int64_t kWork = 100;
constexpr std::int64_t kStall = 30;

Instant at(std::int64_t second) { return {seconds(second).raw}; }

ModelOptions options(std::uint32_t communication) {
  ModelOptions made;
  made.penalty = seconds(kStall);
  made.communication = communication;
  return made;
}

struct Move {
  std::int64_t second;
  std::uint32_t task;
};

// When the job ends whose tasks move then, each from node 0 to node 1.
Instant end_after(const std::vector<Move>& moves, std::uint32_t tasks, const ModelOptions& made) {
  OneJob job(made, tasks, Memory{100});
  job.start({0}, Yield{500'000});
  for (const Move& move : moves) {
    job.go_to(move.second);
    (void)job.tell(Migrate{{}, {{0}}, {{1}}}, {move.task, 1});
  }
  while (job.model.next() != kNever) (void)job.wait();
  return job.now;
}

// The same by the definition, second by second: the pace is c [no task stands still] + (1 - c) (share of
// the tasks that do not). Everything happens at whole seconds.
double end_by_definition(const std::vector<Move>& moves, std::uint32_t tasks, double c) {
  double done = 0;
  for (std::int64_t second = 0;; ++second) {
    const auto still = static_cast<double>(std::ranges::count_if(
        moves, [&](const Move& m) { return m.second <= second && second < m.second + kStall; }));
    const double pace = 0.5 * ((still > 0 ? 0 : c) + (1 - c) * (1 - still / tasks));
    if (done + pace >= kWork) return static_cast<double>(second) + (kWork - done) / pace;
    done += pace;
  }
}

TEST(Communication, ByDefaultOneTaskThatMovesStopsAll) {
  EXPECT_EQ(end_after({{10, 0}}, 4, options(1'000'000)), at(200 + 30));
  EXPECT_EQ(ModelOptions{}.communication, 1'000'000U);
}

TEST(Communication, AtZeroTheJobLosesWhatTheTaskLoses) {
  EXPECT_EQ(end_after({{10, 0}}, 4, options(0)), Instant{seconds(200).raw + 7'500'000});
  EXPECT_EQ(end_after({{10, 0}}, 1, options(0)), at(230)) << "a job of one task";
}

TEST(Communication, AtAHalfItLosesHalfOfEach) {
  EXPECT_EQ(end_after({{10, 0}}, 4, options(500'000)), Instant{seconds(200).raw + 15'000'000 + 3'750'000});
}

TEST(Communication, TasksThatMoveTogetherLoseAsMuchAsOneByOne) {
  OneJob job(options(500'000), 4, Memory{100});
  job.start({0}, Yield{500'000});
  job.go_to(10);
  const auto moved = job.tell(Migrate{{}, {{0}}, {{1}}}, {0, 2});
  ASSERT_TRUE(outcome(moved));
  EXPECT_EQ(outcome(moved)->stall, Duration{15'000'000 + 7'500'000}) << "the manager is told";
  while (job.model.next() != kNever) (void)job.wait();
  EXPECT_EQ(job.now, end_after({{10, 0}, {10, 1}}, 4, options(500'000)));
}

TEST(Communication, AResumeStopsAllInAnyCase) {
  OneJob job(options(0), 2, Memory{100});
  job.start();
  job.go_to(10);
  (void)job.tell(Save{{}, {{0}}});
  (void)job.tell(Restore{{}, {{0}}, kFullYield});
  const auto released = job.tell(Release{});
  ASSERT_TRUE(outcome(released));
  EXPECT_EQ(outcome(released)->stall, seconds(kStall));
}

TEST(Communication, FollowsItsDefinitionHoweverStallsOverlap) {
  std::mt19937 dice(1);
  for (int turn = 0; turn < 200; ++turn) {
    const auto tasks = static_cast<std::uint32_t>(1 + dice() % 8);
    const auto c = static_cast<std::uint32_t>(dice() % 5 * 250'000);
    std::vector<Move> moves;
    for (std::uint32_t task = 0; task < tasks; ++task)
      if (dice() % 3 > 0) moves.push_back({static_cast<std::int64_t>(1 + dice() % 100), task});
    std::ranges::sort(moves, {}, &Move::second);
    ModelOptions made = options(c);
    if (turn % 2 == 0) made.delay[static_cast<std::size_t>(ActionKind::checkpoint)] = seconds(1);  // timed
    const double wanted = end_by_definition(moves, tasks, c / 1e6);
    EXPECT_NEAR(static_cast<double>(end_after(moves, tasks, made).raw) / 1e6, wanted, 1e-3)
        << tasks << " tasks, c " << c << ", " << moves.size() << " moves";
  }
}

}  // namespace
}  // namespace aliquot
