// The energy of each node is what it drew between the readings, however often it is read.
#include "policies/power/energy_meter.hpp"

#include <gtest/gtest.h>

#include "test/support/small_view.hpp"

namespace aliquot::power {
namespace {

const PowerSettings kDraw{.draw = {watts(100), watts(200), watts(10)}};
constexpr NodeId kFirst{0}, kSecond{1};

Instant at(std::int64_t second) { return Instant{} + seconds(second); }

ClusterView two_nodes() {
  ClusterView view;
  view.nodes = {test::node(0), test::node(1)};
  view.index.rebuild(view);
  return view;
}

TEST(energy_meter, counts_from_reading_to_reading) {
  EnergyMeter meter;
  ClusterView view = two_nodes();
  meter.read(view, at(1000), kDraw);
  EXPECT_EQ(meter.energy(kFirst), Energy{}) << "what was before is not known";
  EXPECT_EQ(meter.draw(kFirst), watts(100));
  view.nodes[1].power = NodePower::off;
  meter.read(view, at(1010), kDraw);
  for (std::int64_t second = 1011; second <= 1030; ++second) meter.read(view, at(second), kDraw);
  EXPECT_EQ(meter.energy(kFirst).to_joules(), 30 * 100);
  EXPECT_EQ(meter.energy(kSecond).to_joules(), 10 * 100 + 20 * 10);
  EXPECT_EQ(meter.energy({7}), Energy{}) << "there is no such node";
}

TEST(energy_meter, counts_each_node_by_its_own_table) {
  EnergyMeter meter;
  ClusterView view = two_nodes();
  PowerSettings settings = kDraw;
  settings.draws = {{watts(300), watts(500), watts(20)}};
  meter.read(view, at(0), settings);
  EXPECT_EQ(meter.draw(kFirst), watts(300));
  EXPECT_EQ(meter.draw(kSecond), watts(100)) << "by that of the site";
}

TEST(energy_meter, what_is_measured_counts_until_it_is_too_old) {
  EnergyMeter meter;
  const ClusterView view = two_nodes();
  meter.measure(kSecond, watts(150), at(30));
  for (std::int64_t second = 0; second <= 40; ++second) meter.read(view, at(second), kDraw);
  EXPECT_EQ(meter.energy(kFirst).to_joules(), 40 * 100) << "by the table";
  EXPECT_EQ(meter.energy(kSecond).to_joules(), 30 * 150 + 10 * 100);
  EXPECT_EQ(meter.measured(kSecond), std::nullopt);
  meter.measure(kSecond, watts(170), at(70));
  EXPECT_EQ(meter.draw(kSecond), watts(100)) << "from the next reading on";
  meter.read(view, at(41), kDraw);
  EXPECT_EQ(meter.draw(kSecond), watts(170));
  EXPECT_EQ(meter.measured(kSecond), watts(170));
  EXPECT_EQ(meter.measured(kFirst), std::nullopt);
}

TEST(energy_meter, nothing_is_measured_of_a_node_that_is_not_on) {
  EnergyMeter meter;
  ClusterView view = two_nodes();
  view.nodes[0].power = NodePower::off;
  view.nodes[1].service = NodeService::removed;
  for (const NodeId node : {kFirst, kSecond}) meter.measure(node, watts(150), at(30));
  meter.read(view, at(0), kDraw);
  EXPECT_EQ(meter.draw(kFirst), watts(10));
  EXPECT_EQ(meter.draw(kSecond), watts(0));
}

TEST(energy_meter, a_fenced_node_is_off_and_a_removed_one_draws_nothing) {
  EnergyMeter meter;
  ClusterView view = two_nodes();
  view.nodes[0].state = NodeState::fenced;
  view.nodes[1].service = NodeService::removed;
  meter.read(view, at(0), kDraw);
  EXPECT_EQ(meter.draw(kFirst), watts(10));
  EXPECT_EQ(meter.draw(kSecond), watts(0));
}

TEST(energy_meter, a_node_draws_more_the_more_cpu_it_gives) {
  EnergyMeter meter;
  ClusterView view = two_nodes();
  Job job;
  job.id = {1};
  job.demand.tasks = 1;
  job.demand.need = view.nodes[0].capacity;
  job.phase = Phase::running;
  job.placement = {{kFirst, 1}};
  job.yield = {kMillion / 2};
  view.jobs[job.id] = job;
  view.index.rebuild(view);
  meter.read(view, at(0), kDraw);
  EXPECT_EQ(meter.draw(kFirst), watts(150));
}

}  // namespace
}  // namespace aliquot::power
