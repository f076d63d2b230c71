// What typical tasks can use of a node, against the formula of the FGD paper written down plainly.
#include "policies/fitting/node_prospect.hpp"

#include <gtest/gtest.h>

#include "test/support/random_view.hpp"
#include "test/unit/fitting/gpu_cluster.hpp"

namespace aliquot {
namespace {

using test::Dice;
using test::GpuCluster;

NodeRest random_rest(Dice& dice) {
  NodeRest rest;
  rest.cpu = cores(dice.between(0, 8));
  rest.memory = mebibytes(dice.between(0, 8 * 64));
  rest.slots = static_cast<std::uint32_t>(dice.between(0, 8));
  for (std::uint32_t slot = 0; slot < rest.slots; ++slot) {
    rest.models[slot] = {static_cast<std::uint16_t>(slot < 4 ? 0 : 1)};
    rest.free[slot] = static_cast<std::int32_t>(dice.chance(30) ? 1000 : dice.between(0, 1000));
  }
  return rest;
}

// Weng et al., section 4.1: all that is free, if the node cannot run the task; else the devices of which
// too little is free for it.
std::int64_t fragment(const NodeRest& rest, const Demand& task) {
  std::int64_t all = 0;
  std::int64_t too_little = 0;
  std::uint32_t enough = 0;
  for (std::uint32_t slot = 0; slot < rest.slots; ++slot) {
    all += rest.free[slot];
    const bool right = task.devices.model == kAnyModel || task.devices.model == rest.models[slot];
    if (right && rest.free[slot] >= task.devices.parts)
      ++enough;
    else
      too_little += rest.free[slot];
  }
  const bool runs = task.need <= rest.cpu && task.memory <= rest.memory && task.devices.per_node > 0 &&
                    enough >= task.devices.per_node;
  return runs ? too_little : all;
}

TEST(NodeProspect, usable_is_what_the_papers_fragments_leave_over) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    GpuCluster cluster;
    for (int i = 0; i < 16; ++i) {
      DeviceDemand devices;
      if (!dice.chance(20)) devices.per_node = static_cast<std::uint16_t>(dice.between(1, 3));
      if (devices.per_node == 1) devices.parts = static_cast<std::uint16_t>(dice.between(1, 1000));
      if (devices.any() && dice.chance(30))
        devices.model = {static_cast<std::uint16_t>(dice.between(0, 1))};
      cluster.asks(1, dice.between(1, 6), devices);
    }
    NodeProspect prospect;
    prospect.follow(cluster.view);
    ASSERT_EQ(prospect.sampled(), 16);
    for (int i = 0; i < 20; ++i) {
      const NodeRest rest = random_rest(dice);
      std::int64_t fragments = 0;
      for (const auto& [id, job] : cluster.view.jobs) fragments += fragment(rest, job.demand);
      EXPECT_EQ(prospect.of(rest, false).usable, rest.free_parts() * 16 - fragments) << "seed " << seed;
    }
  }
}

TEST(NodeProspect, fill_counts_what_cpu_lets_the_devices_be_used_for) {
  GpuCluster cluster;
  for (int i = 0; i < 4; ++i) cluster.asks(1, 2, test::whole(1));
  NodeProspect prospect;
  prospect.follow(cluster.view);
  NodeRest rest;
  rest.slots = 4;
  rest.models.fill({0});
  rest.free.fill(1000);
  rest.memory = mebibytes(10'000);
  for (std::int64_t cpus = 0; cpus <= 10; ++cpus) {
    rest.cpu = cores(cpus);
    NodeProspect fresh;  // what is kept is not to help
    fresh.follow(cluster.view);
    EXPECT_EQ(fresh.of(rest, true).fill, NodeProspect::kRows * 1000 * std::min<std::int64_t>(cpus / 2, 4));
    EXPECT_EQ(prospect.of(rest, true).fill, fresh.of(rest, true).fill);
  }
}

}  // namespace
}  // namespace aliquot
