// A manager that starts again: what VMs hold keeps its slot, whatever the configuration says meanwhile.
#include <gtest/gtest.h>

#include "manager/recovery.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

const std::string kA = "0000:3b:00.0", kB = "0000:af:00.0", kC = "0000:d8:00.0";

Settings with(std::vector<DeviceWord> words) {
  Settings settings;
  NodeSettings node;
  node.name = "n0";
  node.cores = 8;
  node.memory = mebibytes(8192);
  node.devices = std::move(words);
  settings.nodes = {std::move(node)};
  return settings;
}

// A cluster whose only node has A and B, and a job that holds B.
class Before {
 public:
  Before() : world_({}) {
    Configured said =
        configured_nodes(with({{"V100", 1, kA}, {"V100", 1, kB}}), Cluster(std::vector<Node>{}));
    said.nodes[0].state = NodeState::up;
    world_.at(0, {said});
    Submission what = submission(1, 1000, 100);
    what.demand.devices = {1};
    what.demand.movable = false;
    world_.will_decide({{{1}, {{{0}, 1}}, kFullYield, {0b10}}});
    world_.complete(world_.at(1, {Submitted{{1}, what}}));
  }
  // As recovered from the store.
  [[nodiscard]] Cluster cluster() const { return Cluster(world_.scheduler().cluster().state()); }

 private:
  ScriptedWorld world_;
};

TEST(RecoveredDevices, keep_the_slots_in_which_vms_hold_them) {
  const Configured said =
      configured_nodes(with({{"V100", 1, kC}, {"V100", 1, kB}, {"V100", 1, kA}}), Before().cluster());
  ASSERT_EQ(said.nodes.size(), 1U);
  EXPECT_EQ(said.nodes[0].device_places, (std::vector<std::string>{kC, kB, kA}));
  const Configured fewer = configured_nodes(with({{"V100", 1, kB}}), Before().cluster());
  EXPECT_EQ(fewer.nodes[0].device_places, (std::vector<std::string>{"gone:", kB}));
  const Configured none = configured_nodes(with({{"T4", 1, kC}}), Before().cluster());
  EXPECT_EQ(none.nodes[0].device_places, (std::vector<std::string>{kC, "gone:" + kB}));
  EXPECT_EQ(none.device_models, (std::vector<std::string>{"V100", "T4"}));
  EXPECT_EQ(none.nodes[0].devices[0].model.raw, 1);
  EXPECT_EQ(none.nodes[0].devices[1].model.raw, 0);
}

TEST(RecoveredDevices, that_libvirt_is_to_name_are_what_they_were_until_it_does) {
  const Configured said = configured_nodes(with({{kFromLibvirt}}), Before().cluster());
  EXPECT_EQ(said.nodes[0].device_places, (std::vector<std::string>{kA, kB}));
  EXPECT_TRUE(
      configured_nodes(with({{kFromLibvirt}}), Cluster(std::vector<Node>{})).nodes[0].devices.empty());
}

TEST(RecoveredDevices, that_are_held_are_free_for_nobody_else) {
  Cluster cluster = Before().cluster();
  const Event said = configured_nodes(with({{"V100", 1, kB}, {"V100", 1, kA}}), cluster);
  cluster.apply(said);
  const auto free = cluster.ledger().free_devices().on({0});
  EXPECT_EQ((std::vector<std::int32_t>{free.begin(), free.end()}), (std::vector<std::int32_t>{1000, 0}));
  EXPECT_EQ(cluster.view().nodes[0].device_places[1], kB);
}

}  // namespace
}  // namespace aliquot
