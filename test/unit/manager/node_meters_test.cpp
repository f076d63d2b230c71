// The meters of nodes are asked in turn, and what they say counts until it is too old.
#include "manager/node_meters.hpp"

#include <gtest/gtest.h>

#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using power::watts;

constexpr NodeId kFirst{0}, kSecond{1};

Instant at(std::int64_t second) { return Instant{} + seconds(second); }

struct OnlyMeters final : PowerLevers {
  void switch_off(NodeId, Done) override {}
  void switch_on(NodeId, Done) override {}
  void connect(NodeId) override {}
  void disconnect(NodeId) override {}
  void take_inventory(NodeId, Done) override {}
  void read_meter(NodeId node, Metered done) override { asked[node] = std::move(done); }
  std::map<NodeId, Metered> asked;
};

class node_meters : public testing::Test {
 protected:
  node_meters() {
    view.nodes = {test::node(0), test::node(1)};
    view.index.rebuild(view);
    settings.meter_command = {"meter"};
    settings.policy.draw = {watts(100), watts(200), watts(10)};
  }
  // Whether the meter of the node was asked since.
  bool asked_at(std::int64_t second, NodeId node = kFirst) {
    meters.every_second(view, at(second));
    return levers.asked.contains(node);
  }
  // One that was asked answers, by its own clock.
  void say(const std::string& text, std::int64_t second, NodeId node = kFirst) {
    levers.asked.extract(node).mapped()(MeterLine{text, seconds(second + 77)});
  }
  std::optional<power::Watts> measured(std::int64_t second, NodeId node = kFirst) {
    meter.read(view, at(second), settings.policy);
    return meter.measured(node);
  }

  ClusterView view;
  OnlyMeters levers;
  NodePowerSettings settings;
  power::EnergyMeter meter;
  std::vector<std::string> warnings;
  NodeMeters meters{
      {levers, settings, meter, [this](const std::string& line) { warnings.push_back(line); }}};
};

TEST_F(node_meters, are_asked_every_interval_and_not_before_they_have_answered) {
  ASSERT_TRUE(asked_at(0));
  ASSERT_TRUE(asked_at(0, kSecond));
  say("watts 150", 0);
  EXPECT_FALSE(asked_at(9));
  EXPECT_TRUE(asked_at(10));
  EXPECT_EQ(measured(10), watts(150));
  say("watts 160", 10);
  say("watts 20", 15, kSecond);
  EXPECT_TRUE(asked_at(20, kSecond)) << "one that is slow does not delay the others";
  EXPECT_EQ(measured(20), watts(160));
}

TEST_F(node_meters, with_counters_say_the_average_between_two_readings) {
  ASSERT_TRUE(asked_at(0));
  say("microjoules 1000000 262143328850", 0);
  EXPECT_EQ(measured(1), std::nullopt);
  ASSERT_TRUE(asked_at(10));
  say("microjoules 1201000000 262143328850", 12);
  EXPECT_EQ(measured(13), watts(100)) << "1200 J in the 12 s between the readings";
}

TEST_F(node_meters, that_say_nothing_any_more_give_way_to_the_table) {
  ASSERT_TRUE(asked_at(0));
  say("watts 150", 0);
  EXPECT_EQ(measured(29), watts(150));
  EXPECT_EQ(measured(30), std::nullopt);
  EXPECT_EQ(meter.draw(kFirst), watts(100));
}

TEST_F(node_meters, that_fail_are_warned_of_once_until_they_work_again) {
  for (const std::int64_t second : {0, 10}) {
    ASSERT_TRUE(asked_at(second));
    say("what?", second);
  }
  ASSERT_TRUE(asked_at(20));
  levers.asked.extract(kFirst).mapped()(fail(ErrorKind::timeout, "it hangs"));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(warnings[0].starts_with("node_not_measured node=n0 why=\"the meter said")) << warnings[0];
  ASSERT_TRUE(asked_at(30));
  say("watts 1", 30);
  ASSERT_TRUE(asked_at(40));
  say("", 40);
  EXPECT_EQ(warnings.size(), 2U);
}

TEST_F(node_meters, begin_anew_after_a_failure_and_after_the_node_was_off) {
  const auto counts = [this](std::int64_t second, const std::string& joules) {
    ASSERT_TRUE(asked_at(second));
    say("microjoules " + joules + "000000 262143328850", second);
  };
  counts(0, "100");
  ASSERT_TRUE(asked_at(10));
  say("?", 10);
  counts(20, "300");
  EXPECT_EQ(measured(20), std::nullopt);
  view.nodes[0].power = NodePower::off;
  EXPECT_FALSE(asked_at(30)) << "what is off is not asked";
  view.nodes[0].power = NodePower::on;
  counts(40, "500");
  EXPECT_EQ(measured(40), std::nullopt);
  counts(50, "700");
  EXPECT_EQ(measured(50), watts(20));
}

TEST_F(node_meters, are_none_where_the_site_has_no_command) {
  settings.meter_command.clear();
  EXPECT_FALSE(asked_at(0));
}

}  // namespace
}  // namespace aliquot
