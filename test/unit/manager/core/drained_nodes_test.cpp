// What operators want of a node outlives a restart of the manager, and goes with the node.
#include <gtest/gtest.h>

#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;

constexpr NodeId kDrained{0};

class drained_nodes : public testing::Test {
 protected:
  drained_nodes() : world({node(0), node(1)}) {
    world.at(1, {ServiceChanged{kDrained, NodeService::draining, Drain{DrainMode::wait, {}, {}, "uid 7"}}});
  }
  // As a manager that starts: no node has answered it yet.
  void restart(std::int64_t second) {
    std::vector<Node> nodes = world.scheduler().cluster().view().nodes;
    for (Node& each : nodes) each.state = NodeState::suspect;
    world.at(second, {Configured{nodes}, Restarted{2}});
  }
  void answers(std::int64_t second, NodeId who) { world.at(second, {NodeChanged{who, NodeState::up, ""}}); }
  [[nodiscard]] const NodeRecord& record(NodeId of) const {
    return world.scheduler().cluster().state().node_records.at(of);
  }
  [[nodiscard]] const Node& drained() const { return world.scheduler().cluster().view().nodes[0]; }

  ScriptedWorld world;
};

TEST_F(drained_nodes, are_drained_after_a_restart) {
  restart(10);
  EXPECT_EQ(record(kDrained).since, Instant{} + seconds(10)) << "it has been silent since then";
  answers(11, kDrained);
  EXPECT_EQ(drained().service, NodeService::draining);
  ASSERT_TRUE(record(kDrained).drain) << "its jobs would be left where they are for ever";
  EXPECT_EQ(record(kDrained).drain->by, "uid 7");
}

TEST_F(drained_nodes, are_known_with_their_power_after_a_restart) {
  world.at(2, {PowerChanged{{1}, NodePower::going_off, "idle"}});
  world.at(3, {PowerChanged{{1}, NodePower::on, "it was needed"}});
  restart(10);
  EXPECT_EQ(record({1}).power_since, Instant{} + seconds(3));
  EXPECT_EQ(record({1}).power_why, "it was needed");
}

TEST_F(drained_nodes, are_drained_no_more_once_they_were_removed) {
  world.at(10, {Configured{{node(1)}}});
  EXPECT_EQ(drained().service, NodeService::removed);
  EXPECT_FALSE(record(kDrained).drain);
  world.at(20, {Configured{{node(0), node(1)}}});
  EXPECT_EQ(drained().service, NodeService::in_service);
  EXPECT_FALSE(record(kDrained).drain) << "it is in service, and would be emptied";
}

}  // namespace
}  // namespace aliquot
