// A manager that starts again: a node whose size the configuration leaves to it, and VMs on it.
#include <gtest/gtest.h>

#include "manager/recovery.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

Settings one_node() {
  Settings settings;
  NodeSettings node;
  node.name = "n0";
  settings.nodes = {std::move(node)};
  return settings;
}

// As recovered from the store: its node has told 8 cores and 8192 MiB, and a VM is on it.
Cluster recovered() {
  ScriptedWorld world({});
  Configured said = configured_nodes(one_node(), Cluster(std::vector<Node>{}));
  said.nodes[0].state = NodeState::up;
  said.nodes[0].cores = 8;
  said.nodes[0].capacity = capacity_of(one_node().nodes[0], 8);
  said.nodes[0].memory = mebibytes(8192);
  world.at(0, {said});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield, {0}}});
  world.complete(world.at(1, {Submitted{{1}, submission(1, 1000, 100)}}));
  return Cluster(world.scheduler().cluster().state());
}

TEST(RecoveredNodes, have_the_size_they_had_until_they_are_asked) {
  Cluster cluster = recovered();
  const Configured said = configured_nodes(one_node(), cluster);
  ASSERT_EQ(said.nodes.size(), 1U);
  EXPECT_EQ(said.nodes[0].state, NodeState::suspect);
  EXPECT_EQ(said.nodes[0].cores, 8U);
  EXPECT_EQ(said.nodes[0].memory, mebibytes(8192));
  cluster.apply(Event{said});
  EXPECT_GE(cluster.ledger().left({0}).memory, Memory{}) << "what its VM holds is no more than it has";
}

TEST(RecoveredNodes, that_are_new_have_none) {
  const Configured said = configured_nodes(one_node(), Cluster(std::vector<Node>{}));
  EXPECT_EQ(said.nodes[0].cores, 0U);
  EXPECT_EQ(said.nodes[0].memory, Memory{});
}

}  // namespace
}  // namespace aliquot
