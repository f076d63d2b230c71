#include "manager/hypervisor/libvirt/slow_turns.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

using std::chrono::milliseconds;

const SlowTurns::Time kBegin{std::chrono::hours(1)};

// Asked each second, or somewhat less, as while needs are learned.
template <class Turn>
int turns_in_a_minute(Turn turn, int late_ms = 50) {
  int taken = 0;
  for (int second = 0; second < 60; ++second)
    taken += turn(kBegin + milliseconds(1000 * second + second % 2 * late_ms)) ? 1 : 0;
  return taken;
}

TEST(SlowTurns, GuestsAreAskedEveryFiveSecondsAndNodesCountApart) {
  SlowTurns turns;
  EXPECT_TRUE(turns.is_due({3}, kBegin));
  EXPECT_EQ(turns_in_a_minute([&](SlowTurns::Time now) { return turns.is_due({4}, now); }, 0), 12);
}

TEST(SlowTurns, CountersOfARemoteNodeAreReadEveryTwoSecondsHoweverOftenTheyAreWanted) {
  SlowTurns turns;
  EXPECT_EQ(turns_in_a_minute([&](SlowTurns::Time now) { return turns.counters_are_due({0}, now); }), 30);
}

TEST(SlowTurns, ANodeWithASetBalloonIsReadEachSecond) {
  SlowTurns turns;
  turns.turn_often({0});
  EXPECT_EQ(turns_in_a_minute([&](SlowTurns::Time now) { return turns.counters_are_due({0}, now); }), 60);
  EXPECT_EQ(turns_in_a_minute([&](SlowTurns::Time now) { return turns.is_due({0}, now); }), 60);
  EXPECT_EQ(turns_in_a_minute([&](SlowTurns::Time now) { return turns.counters_are_due({1}, now); }), 30);
}

}  // namespace
}  // namespace aliquot
