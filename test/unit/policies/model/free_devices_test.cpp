// What is free of the devices, and which slots a job gets.
#include "policies/model/free_devices.hpp"

#include <gtest/gtest.h>

#include <random>

#include "policies/model/view.hpp"
#include "test/support/index_check.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using test::node;
using test::running;
using test::submission;

constexpr DeviceModel kV100{0};
constexpr DeviceModel kT4{1};

Job holds(std::uint64_t id, NodeId where, DeviceSet slots, std::uint16_t parts) {
  Job job = running(id, submission(1, 100, 10), {{where, 1}});
  job.demand.devices = {1, parts, kAnyModel};
  job.devices = {slots};
  return job;
}

ClusterView cluster() {
  ClusterView view;
  view.device_models = {"V100", "T4"};
  view.nodes = {node(0), node(1), node(2)};
  view.nodes[0].devices = {{kV100}, {kT4}, {kV100}, {kV100}};
  view.nodes[2].devices = {{kT4, 500}};
  view.jobs[{1}] = holds(1, {0}, 0b0001, 300);
  view.jobs[{2}] = holds(2, {0}, 0b1000, 600);
  view.jobs[{3}] = holds(3, {2}, 0b1, 500);
  return view;
}

std::vector<std::int32_t> parts(const FreeDevices& free, std::uint32_t n) {
  const auto on = free.on({n});
  return {on.begin(), on.end()};
}

TEST(free_devices, are_what_the_jobs_leave_over) {
  const FreeDevices free = free_devices(cluster());
  EXPECT_EQ(parts(free, 0), (std::vector<std::int32_t>{700, 1000, 1000, 400}));
  EXPECT_TRUE(parts(free, 1).empty());
  EXPECT_EQ(parts(free, 2), (std::vector<std::int32_t>{0}));
}

TEST(free_devices, are_none_where_there_are_no_devices) {
  ClusterView view = cluster();
  for (Node& n : view.nodes) n.devices.clear();
  EXPECT_TRUE(free_devices(view).none());
  EXPECT_TRUE(free_devices(view).on({0}).empty());
}

TEST(free_devices, pass_over_a_slot_that_is_gone) {
  ClusterView view = cluster();
  view.nodes[0].devices.resize(2);
  EXPECT_EQ(parts(free_devices(view), 0), (std::vector<std::int32_t>{700, 1000}));
}

TEST(free_devices, are_the_same_in_the_index_whatever_comes_and_goes) {
  ClusterView view = cluster();
  view.index.rebuild(view);
  std::mt19937 random(1);
  for (int turn = 0; turn < 500; ++turn) {
    const JobId id{1 + random() % 8};
    if (const auto found = view.jobs.find(id); found != view.jobs.end()) {
      view.index.remove(view, found->second);
      view.jobs.erase(id);
    } else {
      const auto slot = DeviceSet{1} << random() % 4;
      const Job job = holds(id.raw, {0}, slot, static_cast<std::uint16_t>(1 + random() % 200));
      view.index.add(view, view.jobs.emplace(id, job).first->second);
    }
    ClusterView plain = view;
    plain.index.drop();
    ASSERT_EQ(view.index.devices(), free_devices(plain)) << turn;
  }
  EXPECT_TRUE(test::index_agrees(view));
}

std::optional<DeviceSet> pick(DeviceDemand demand) {
  const ClusterView view = cluster();
  const FreeDevices free = free_devices(view);
  return pick_devices(view.nodes[0], free.on({0}), demand);
}

TEST(pick_devices, takes_whole_ones_from_the_lowest_slot_on) {
  EXPECT_EQ(pick({1, kWholeDevice, kAnyModel}), DeviceSet{0b0010});
  EXPECT_EQ(pick({2, kWholeDevice, kAnyModel}), DeviceSet{0b0110});
  EXPECT_EQ(pick({1, kWholeDevice, kV100}), DeviceSet{0b0100});
}

TEST(pick_devices, takes_a_slice_where_the_least_is_left) {
  EXPECT_EQ(pick({1, 100, kAnyModel}), DeviceSet{0b1000});
  EXPECT_EQ(pick({1, 401, kAnyModel}), DeviceSet{0b0001});
  EXPECT_EQ(pick({1, 701, kAnyModel}), DeviceSet{0b0010});  // the lowest of two that are equal
  EXPECT_EQ(pick({1, 100, kT4}), DeviceSet{0b0010});
}

TEST(pick_devices, gives_none_where_there_are_too_few) {
  EXPECT_EQ(pick({3, kWholeDevice, kAnyModel}), std::nullopt);
  EXPECT_EQ(pick({2, kWholeDevice, kV100}), std::nullopt);
  EXPECT_EQ(pick({1, 1000, DeviceModel{7}}), std::nullopt);
}

TEST(pick_devices, has_nothing_to_pick_for_who_asks_for_none) { EXPECT_EQ(pick({}), DeviceSet{0}); }

TEST(pick_devices, reaches_the_last_of_64_slots) {
  ClusterView view = cluster();
  view.nodes[1].devices.assign(kMostDevices, {kV100});
  const FreeDevices free = free_devices(view);
  EXPECT_EQ(pick_devices(view.nodes[1], free.on({1}), {64, kWholeDevice, kV100}), ~DeviceSet{0});
}

}  // namespace
}  // namespace aliquot
