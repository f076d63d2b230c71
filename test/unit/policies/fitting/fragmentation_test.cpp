// How far typical tasks can use a node, against the formula of the FGD paper written out.
#include "policies/fitting/fragmentation.hpp"

#include <gtest/gtest.h>

#include "test/support/random_view.hpp"
#include "test/unit/policies/fitting/gpu_cluster.hpp"

namespace aliquot {
namespace {

using test::Dice;
using test::GpuCluster;

FreeOnNode random_node(Dice& dice) {
  FreeOnNode node;
  node.cpu = cores(dice.between(0, 8));
  node.memory = mebibytes(dice.between(0, 8 * 64));
  node.slots = static_cast<std::uint32_t>(dice.between(0, 8));
  for (std::uint32_t slot = 0; slot < node.slots; ++slot) {
    node.models[slot] = {static_cast<std::uint16_t>(slot < 4 ? 0 : 1)};
    node.parts[slot] = static_cast<std::int32_t>(dice.chance(30) ? 1000 : dice.between(0, 1000));
  }
  return node;
}

// Weng et al., section 4.1: all free parts, if the node cannot run the task; else those of the devices that
// have too few free parts for it.
std::int64_t fragment(const FreeOnNode& node, const Demand& task) {
  std::int64_t all = 0;
  std::int64_t too_little = 0;
  std::uint32_t enough = 0;
  for (std::uint32_t slot = 0; slot < node.slots; ++slot) {
    all += node.parts[slot];
    const bool right = task.devices.models.accept(node.models[slot]);
    if (right && node.parts[slot] >= task.devices.parts)
      ++enough;
    else
      too_little += node.parts[slot];
  }
  const bool runs = task.need <= node.cpu && task.memory <= node.memory && task.devices.per_node > 0 &&
                    enough >= task.devices.per_node;
  return runs ? too_little : all;
}

TEST(Fragmentation, usable_parts_are_those_that_are_not_fragments_in_the_paper) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    GpuCluster cluster;
    for (int i = 0; i < 16; ++i) {
      DeviceDemand devices;
      if (!dice.chance(20)) devices.per_node = static_cast<std::uint16_t>(dice.between(1, 3));
      if (devices.per_node == 1) devices.parts = static_cast<std::uint16_t>(dice.between(1, 1000));
      if (devices.any() && dice.chance(30))
        devices.models = DeviceModel{static_cast<std::uint16_t>(dice.between(0, 1))};
      cluster.asks(1, dice.between(1, 6), devices);
    }
    const Fragmentation fragmentation(cluster.view, false);
    ASSERT_EQ(fragmentation.sample_size(), 16);
    for (int i = 0; i < 20; ++i) {
      const FreeOnNode node = random_node(dice);
      std::int64_t fragments = 0;
      for (const auto& [id, job] : cluster.view.jobs) fragments += fragment(node, job.demand);
      EXPECT_EQ(fragmentation.measure(node).usable, node.device_parts() * 16 - fragments)
          << "seed " << seed;
    }
  }
}

TEST(Fragmentation, fill_counts_what_cpu_lets_the_devices_be_used_for) {
  GpuCluster cluster;
  for (int i = 0; i < 4; ++i) cluster.asks(1, 2, test::whole(1));
  const Fragmentation fragmentation(cluster.view, true);
  FreeOnNode node;
  node.slots = 4;
  node.models.fill({0});
  node.parts.fill(1000);
  node.memory = mebibytes(10'000);
  for (std::int64_t cpus = 0; cpus <= 10; ++cpus) {
    node.cpu = cores(cpus);
    EXPECT_EQ(fragmentation.measure(node).fill,
              Fragmentation::kSequences * 1000 * std::min<std::int64_t>(cpus / 2, 4));
  }
}

}  // namespace
}  // namespace aliquot
