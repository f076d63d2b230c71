// Which devices of a node a request gets, against the slots of the real node.
#include "policies/placement/model/devices.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "policies/model/free_devices.hpp"
#include "policies/model/view.hpp"
#include "policies/placement/model/nodes.hpp"
#include "test/support/random_view.hpp"

namespace aliquot::ip {
namespace {

Request slice_of(std::uint16_t parts, DeviceModels models = {}) {
  Request r;
  r.devices = 1;
  r.parts = parts;
  r.models = models;
  return r;
}

Instance asking(const std::vector<std::uint16_t>& parts) {
  Instance instance;
  instance.kinds = {{0}};
  for (const std::uint16_t each : parts) instance.requests.push_back(slice_of(each));
  instance.least_slice = SliceSizes(instance).least();
  return instance;
}

TEST(Devices,
     a_slice_is_cut_from_the_device_with_the_fewest_free_parts_that_suffice_and_else_from_a_whole_one) {
  const Instance instance = asking({200, 600});
  FreeResources free;
  free.cpu = 8;
  free.devices[0] = 1;
  free.partials = {FreeDevice{700, 0}, FreeDevice{300, 0}};
  EXPECT_EQ(choose_device(instance, free, slice_of(200))->parts, 300);
  EXPECT_EQ(choose_device(instance, free, slice_of(400))->parts, 700);
  EXPECT_EQ(choose_device(instance, free, slice_of(800))->parts, kWholeDevice);
  EXPECT_FALSE(choose_device(instance, free, slice_of(200, DeviceModel{1}))) << "of another model";
  allocate(instance, slice_of(800), 1, *choose_device(instance, free, slice_of(800)), free);
  EXPECT_EQ(free.devices[0], 0);
  EXPECT_EQ(free.partials[2], (FreeDevice{200, 0}));
  allocate(instance, slice_of(600), 1, *choose_device(instance, free, slice_of(600)), free);
  EXPECT_EQ(free.partials[2], FreeDevice{}) << "no slice fits into 100 parts";
  EXPECT_FALSE(choose_device(instance, free, slice_of(600)));
  EXPECT_FALSE(has_device(free, slice_of(600), {700, 0}));
}

// The same requests one after the other on usable parts and on the slots themselves: a request fits the one
// exactly if it fits the other.
TEST(Devices, best_fit_by_usable_parts_is_best_fit_on_the_slots) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    test::Dice dice(seed);
    std::vector<std::uint16_t> sizes;
    for (std::int64_t s = dice.between(1, 4); s > 0; --s)
      sizes.push_back(static_cast<std::uint16_t>(dice.between(30, 999)));
    Instance instance = asking(sizes);
    const SliceSizes slices(instance);
    Node node;
    FreeResources node_free;
    std::vector<std::int32_t> free;
    std::vector<FreeDevice> partials;
    for (std::int64_t s = dice.between(1, 6); s > 0; --s) {
      node.devices.push_back({{0}});
      free.push_back(dice.chance(50) ? 1000 : static_cast<std::int32_t>(dice.between(0, 999)));
      if (free.back() == 1000) {
        ++node_free.devices[0];
      } else if (slices.usable(free.back()) > 0) {
        partials.push_back({slices.usable(free.back()), 0});
      }
    }
    std::sort(partials.begin(), partials.end(), std::greater<>());
    std::copy(partials.begin(), partials.end(), node_free.partials.begin());
    for (int k = 0; k < 20; ++k) {
      const Request r = slice_of(
          sizes[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(sizes.size()) - 1))]);
      const auto chosen = choose_device(instance, node_free, r);
      const auto slots = pick_devices(node, free, {1, r.parts, DeviceModel{0}});
      ASSERT_EQ(chosen.has_value(), slots.has_value()) << "seed " << seed << ", request " << k;
      if (!chosen) continue;
      allocate(instance, r, 0, *chosen, node_free);
      for (std::size_t s = 0; s < free.size(); ++s) free[s] -= (*slots >> s & 1) != 0 ? r.parts : 0;
    }
  }
}

TEST(Slices, usable_parts_are_the_largest_sum_of_slices_asked_for) {
  const SliceSizes sizes(asking({300, 500}));
  EXPECT_EQ(sizes.least(), 300);
  EXPECT_EQ(sizes.usable(299), 0);
  EXPECT_EQ(sizes.usable(550), 500);
  EXPECT_EQ(sizes.usable(799), 600);
  EXPECT_EQ(sizes.usable(999), 900);
  EXPECT_EQ(sizes.usable(-5), 0);
  EXPECT_FALSE(SliceSizes(Instance{}).any());
  EXPECT_EQ(SliceSizes(Instance{}).usable(999), 0);
}

TEST(Slices, partly_used_devices_make_no_more_classes_than_the_limit) {
  NodeResources nodes;
  for (std::uint16_t n = 0; n < 900; ++n) {
    FreeResources node_free;
    node_free.cpu = 8;
    node_free.partials = {FreeDevice{static_cast<std::uint16_t>(999 - n), 0}, FreeDevice{7, 0}};
    nodes.emplace_back(node_free);
  }
  const NodeResources before = nodes;
  const std::vector<NodeClass> ceiling = coarsen(nodes);
  EXPECT_LE(classes_of(nodes).size(), kMostClasses);
  std::uint64_t above = 0, there = 0;
  for (const NodeClass& c : ceiling) above += std::uint64_t{c.count} * c.free.device_parts();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    EXPECT_LE(nodes[n]->device_parts(), before[n]->device_parts());
    there += before[n]->device_parts();
  }
  EXPECT_GE(above, there);
}

}  // namespace
}  // namespace aliquot::ip
