// What is kept of events while nothing can be stored: what says no more than a later one is left out, so
// that the events are bounded however long the disk stays full.
#include "manager/step_input.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

struct Waiting : testing::Test {
  void block() { input.blocked = Error{ErrorKind::no_space, "planted"}; }
  void change(NodeState state, std::uint32_t node = 0) { input.add(NodeChanged{{node}, state, "planted"}); }
  [[nodiscard]] std::vector<NodeState> states() const {
    std::vector<NodeState> all;
    for (const Event& event : input.events)
      if (const auto* changed = std::get_if<NodeChanged>(&event)) all.push_back(changed->state);
    return all;
  }
  StepInput input;
};

TEST_F(Waiting, KeepsEverythingUnlessTheDiskIsFull) {
  for (int i = 0; i < 3; ++i) input.add(OthersChanged{{0}, {1, {}, {}}});
  EXPECT_EQ(input.events.size(), 3U);
}

TEST_F(Waiting, KeepsTheNewestOfWhatIsSaidAgain) {
  block();
  for (std::uint32_t count = 0; count < 100; ++count) {
    input.add(OthersChanged{{0}, {count, {}, {}}});
    input.add(OthersChanged{{1}, {count, {}, {}}});
    input.add(Inspected{{7}, 0, 1, VmFact::unknown, {}, {}});
    input.add(ForeignMove{{7}, 0, {0}, "planted", ForeignAct::paused});
    input.add(ForeignMove{{7}, 0, {0}, "planted", ForeignAct::resumed});
    input.add(Cancelled{{7}, JobResult::failed, "too much output"});
  }
  ASSERT_EQ(input.events.size(), 6U);
  EXPECT_EQ(std::get<OthersChanged>(input.events[0]).others.count, 99U);
}

TEST_F(Waiting, KeepsEachEndAndEachOutcome) {
  block();
  for (std::uint64_t op = 1; op <= 3; ++op) input.add(Outcome{{op}, {7}, {0, 1}, {}, {}, {}});
  for (std::uint32_t task = 0; task < 3; ++task) input.add(TaskEnded{{7}, {task, 1}, 1, 0, {}});
  EXPECT_EQ(input.events.size(), 6U);
}

TEST_F(Waiting, KeepsThatANodeWasAwayHoweverOftenItComesAndGoes) {
  block();
  change(NodeState::suspect, 1);
  for (int i = 0; i < 50; ++i) change(NodeState::suspect), change(NodeState::up);
  EXPECT_EQ(states(), (std::vector{NodeState::suspect, NodeState::suspect, NodeState::up}));
}

TEST_F(Waiting, KeepsThatANodeWasClearedOrIsDown) {
  block();
  NodeChanged back{{0}, NodeState::up, "cleared"};
  back.cleared = true;
  input.add(back);
  for (int i = 0; i < 50; ++i) change(NodeState::suspect), change(NodeState::up);
  EXPECT_EQ(states(), (std::vector{NodeState::up, NodeState::suspect, NodeState::up}));
  EXPECT_TRUE(std::get<NodeChanged>(input.events.front()).cleared);
}

}  // namespace
}  // namespace aliquot
