// Nodes that go off and are woken with levers of the test's own: nothing is pulled before it is on disk,
// what fails is not tried at once again, and a manager that is started anew pulls again what was under way.
#include "manager/live_power.hpp"

#include <gtest/gtest.h>

#include "policies/power/memory_text.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;
using test::submission;

constexpr NodeId kFirst{0}, kSecond{1};

Instant at(std::int64_t second) { return Instant{} + seconds(second); }

struct FakeLevers final : PowerLevers {
  void switch_off(NodeId node, Done done) override { pull("off", node, std::move(done)); }
  void switch_on(NodeId node, Done done) override { pull("on", node, std::move(done)); }
  void connect(NodeId node) override { called += "connect " + std::to_string(node.raw) + ";"; }
  void disconnect(NodeId node) override { called += "disconnect " + std::to_string(node.raw) + ";"; }
  void take_inventory(NodeId node, Done done) override { pull("ask", node, std::move(done)); }
  void read_meter(NodeId node, Metered done) override {
    called += "meter " + std::to_string(node.raw) + ";";
    metered[node] = std::move(done);
  }
  void pull(const std::string& what, NodeId node, Done done) {
    called += what + " " + std::to_string(node.raw) + ";";
    last = std::move(done);
  }
  // What was called since it was last asked.
  std::string calls() { return std::exchange(called, ""); }

  std::string called;
  Done last;
  std::map<NodeId, Metered> metered;
};

class live_power : public testing::Test {
 protected:
  live_power() {
    settings.policy = {.rule = power::PowerRule::aliquot,
                       .boot = seconds(10),
                       .minimum_on = {},
                       .reserve = 1,
                       .caution = 0,
                       .draw = {power::watts(190), power::watts(190), power::watts(0)}};
    settings.off_command = {"off"};
    settings.on_command = {"on"};
    settings.boot_limit = seconds(60);
    start();
  }
  void start() {
    power = std::make_unique<LivePower>(
        LivePower::Parts{world.scheduler(), input, levers, settings,
                         [this](const std::string& line) { log += line + "\n"; },
                         [this](std::string text) { kept = std::move(text); },
                         [this](NodeId node) { metered.push_back(node); }},
        kept);
  }
  // Steps until nothing more is to be told. What is not `durable` stays in memory.
  void step(std::int64_t second, std::vector<Event> events = {}, bool durable = true) {
    for (Event& event : events) input.events.push_back(std::move(event));
    int rounds = 0;
    do {
      std::vector<Event> now = std::exchange(input.events, {});
      power->before_step(now);
      last = world.at(second, std::move(now));
      power->on_step(last, world.scheduler().cluster().view());
      if (durable) power->on_durable(last);
      ASSERT_LT(++rounds, 100) << "the policy and the core do not agree";
    } while (!input.events.empty());
  }
  // Whoever waits for the lever is told, and a step is made.
  void answer(std::int64_t second, const Result<std::string>& said) {
    std::exchange(levers.last, {})(said);
    step(second);
  }
  void hear(NodeId node, NodeState state) {
    if (NodeChanged event{node, state, "heard"}; !power->takes(event)) input.add(std::move(event));
  }
  void switch_second_off() {
    step(0);
    step(10);
    answer(11, "done");
    ASSERT_EQ(of(kSecond).power, NodePower::off);
    levers.calls();
  }
  // Job 1 needs both nodes.
  void submit(std::int64_t second) {
    world.will_decide({{{1}, {{kFirst, 1}, {kSecond, 1}}, kFullYield}});
    step(second, {Submitted{{1}, submission(2, 1000, 100)}});
  }
  [[nodiscard]] const Node& of(NodeId node) const {
    return world.scheduler().cluster().view().nodes[node.raw];
  }

  ScriptedWorld world{{node(0), node(1)}};
  StepInput input;
  FakeLevers levers;
  NodePowerSettings settings;
  std::string log;
  std::string kept;  // of what was learned
  std::vector<NodeId> metered;
  std::unique_ptr<LivePower> power;
  Step last;
};

TEST_F(live_power, a_node_goes_off_when_it_is_on_disk_and_the_lever_says_so) {
  step(0);
  EXPECT_EQ(power->next_due(), at(10)) << "then it has been idle for long enough";
  step(10, {}, false);
  EXPECT_EQ(of(kSecond).power, NodePower::going_off);
  EXPECT_EQ(levers.calls(), "");
  power->on_durable(last);
  EXPECT_EQ(levers.calls(), "off 1;");
  answer(12, "switched off");
  EXPECT_EQ(of(kSecond).power, NodePower::off);
  EXPECT_EQ(levers.calls(), "disconnect 1;");
  EXPECT_EQ(power->reason(kSecond),
            "stays off: the other nodes carry the load, and the reserve is complete");
  EXPECT_EQ(power->reason(kFirst), "stays on: a reserve of 1 idle nodes");
  EXPECT_EQ(of(kFirst).power, NodePower::on);
}

TEST_F(live_power, a_node_that_cannot_be_switched_off_is_left_alone_for_a_while) {
  step(0);
  step(10);
  answer(12, fail(ErrorKind::refused, "the outlet is broken"));
  EXPECT_EQ(of(kSecond).power, NodePower::on);
  EXPECT_NE(log.find("node_not_off node=n1"), std::string::npos) << log;
  EXPECT_NE(power->reason(kSecond).find("could not be switched off: the outlet is broken"),
            std::string::npos);
  levers.calls();
  EXPECT_GT(power->next_due(), at(12));
  step(200);
  EXPECT_EQ(of(kSecond).power, NodePower::on);
  EXPECT_EQ(levers.calls(), "");
  ASSERT_LE(power->next_due(), at(400)) << "nobody would look again";
  step(400);
  EXPECT_EQ(levers.calls(), "off 1;");
}

TEST_F(live_power, its_silence_counts_only_if_it_stays_on) {
  step(0);
  hear(kFirst, NodeState::suspect);
  EXPECT_EQ(input.events.size(), 1U) << "it is on";
  input.events.clear();
  step(10);
  hear(kSecond, NodeState::suspect);
  EXPECT_TRUE(input.events.empty()) << "it goes off";
  answer(12, fail(ErrorKind::refused, "no route"));
  EXPECT_EQ(of(kSecond).power, NodePower::on);
  EXPECT_EQ(of(kSecond).state, NodeState::suspect) << "it does not answer any more";
}

TEST_F(live_power, a_job_wakes_it_and_it_is_on_when_its_inventory_is_read) {
  switch_second_off();
  submit(100);
  EXPECT_EQ(of(kSecond).power, NodePower::waking);
  EXPECT_EQ(world.job(1).placement.size(), 2U) << "it was woken before the policy decided";
  EXPECT_EQ(levers.calls(), "on 1;");
  answer(101, "it boots");
  EXPECT_EQ(levers.calls(), "connect 1;");
  hear(kSecond, NodeState::suspect);
  power->every_second(at(105));
  EXPECT_EQ(levers.calls(), "");
  hear(kSecond, NodeState::up);
  EXPECT_EQ(levers.calls(), "ask 1;");
  EXPECT_EQ(of(kSecond).power, NodePower::waking);
  answer(106, "");
  EXPECT_EQ(of(kSecond).power, NodePower::on);
  EXPECT_TRUE(of(kSecond).usable());
}

TEST_F(live_power, it_is_asked_again_for_its_inventory) {
  switch_second_off();
  submit(100);
  answer(101, "it boots");
  hear(kSecond, NodeState::up);
  levers.calls();
  answer(102, fail(ErrorKind::unavailable, "not yet"));
  power->every_second(at(102));
  EXPECT_EQ(levers.calls(), "");
  power->every_second(at(103));
  EXPECT_EQ(levers.calls(), "ask 1;");
}

TEST_F(live_power, a_node_that_does_not_boot_is_woken_again_and_then_down) {
  switch_second_off();
  submit(100);
  answer(100, fail(ErrorKind::refused, "the outlet is broken"));
  EXPECT_EQ(levers.calls(), "on 1;connect 1;") << "it may boot all the same";
  power->every_second(at(109));
  EXPECT_EQ(levers.calls(), "");
  power->every_second(at(110));
  EXPECT_EQ(levers.calls(), "on 1;");
  answer(111, "it boots");
  hear(kSecond, NodeState::suspect);
  power->every_second(at(159));
  EXPECT_EQ(of(kSecond).power, NodePower::waking);
  power->every_second(at(160));
  step(160);
  EXPECT_EQ(of(kSecond).power, NodePower::on);
  EXPECT_EQ(of(kSecond).state, NodeState::down);
  const std::string& why = world.scheduler().cluster().state().node_records.at(kSecond).why;
  EXPECT_NE(why.find("has not booted within 1m (power.boot_limit): heard"), std::string::npos) << why;
  EXPECT_TRUE(world.job(1).placement.empty()) << "it waits again";
  hear(kSecond, NodeState::up);
  step(170);
  EXPECT_TRUE(of(kSecond).usable()) << "it has booted after all";
}

TEST_F(live_power, a_new_manager_pulls_the_levers_again) {
  step(0);
  step(10);
  levers.calls();
  start();
  EXPECT_EQ(levers.calls(), "off 1;");
  answer(20, "it is off already");
  EXPECT_EQ(of(kSecond).power, NodePower::off);
  levers.calls();
  start();
  EXPECT_EQ(levers.calls(), "disconnect 1;") << "a node that sleeps is not asked";
  submit(100);
  levers.calls();
  start();
  EXPECT_EQ(levers.calls(), "on 1;");
}

TEST_F(live_power, a_new_manager_knows_the_arrivals_of_the_last_one) {
  step(0);
  submit(10);
  power->every_second(at(11));
  const auto first = power::read_memory(kept);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_GT(first->arrivals.hours()[0].sum, 0);
  const std::string before = kept;
  start();
  step(7200);
  power->every_second(at(7200));
  const auto second = power::read_memory(kept);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->arrivals.hours()[0], first->arrivals.hours()[0]);
  EXPECT_EQ(second->arrivals.hours()[1].observed, 0) << "no manager saw this hour";
  EXPECT_EQ(log, "");
}

TEST_F(live_power, what_cannot_be_read_of_the_arrivals_is_said_and_learned_anew) {
  kept = "power-memory-2 of another program";
  start();
  EXPECT_NE(log.find("word 2 is not what was kept of arrivals, loads and boots"), std::string::npos) << log;
  step(0);
  step(10);
  answer(11, "done");
  EXPECT_EQ(of(kSecond).power, NodePower::off);
}

TEST_F(live_power, an_answer_about_an_earlier_change_says_nothing) {
  step(0);
  step(10);
  const auto late = levers.last;
  answer(11, "done");
  submit(100);
  late("done");
  EXPECT_TRUE(input.events.empty());
  EXPECT_EQ(of(kSecond).power, NodePower::waking);
}

TEST_F(live_power, nothing_goes_off_while_the_policy_only_advises) {
  step(0, {ModeChanged{Mode::advise, {}}});
  step(10);
  EXPECT_EQ(of(kSecond).power, NodePower::on);
}

TEST_F(live_power, always_on_does_nothing_and_wakes_what_sleeps) {
  switch_second_off();
  settings.policy.rule = power::PowerRule::always_on;
  step(50);
  EXPECT_EQ(levers.calls(), "on 1;");
  answer(51, "");
  hear(kSecond, NodeState::up);
  answer(52, "");
  EXPECT_EQ(of(kSecond).power, NodePower::on);
  step(1000);
  EXPECT_EQ(power->next_due(), kNever);
  EXPECT_EQ(power->reason(kSecond), "stays on: the rule is always-on");
}

TEST_F(live_power, what_libvirt_has_suspended_is_looked_after_when_it_wakes_by_itself) {
  settings.off_command.clear();
  switch_second_off();
  power->every_second(at(11 + 86'399));
  EXPECT_TRUE(input.events.empty());
  power->every_second(at(11 + 86'400));
  step(11 + 86'400);
  EXPECT_EQ(of(kSecond).power, NodePower::waking);
  EXPECT_EQ(levers.calls(), "on 1;");
}

TEST_F(live_power, says_what_is_measured_and_what_is_of_the_table) {
  settings.meter_command = {"meter"};
  step(0);
  power->every_second(at(1));
  EXPECT_FALSE(power->facts(kFirst).measured);
  EXPECT_EQ(power->facts(kFirst).watts, 190);
  levers.metered.at(kFirst)(MeterLine{"watts 231.5", seconds(1)});
  power->every_second(at(2));
  power->every_second(at(4));
  EXPECT_TRUE(power->facts(kFirst).measured);
  EXPECT_EQ(power->facts(kFirst).watts, 231.5);
  EXPECT_EQ(power->facts(kFirst).joules, 2 * 190 + 2 * 231.5);
  EXPECT_EQ(metered, (std::vector{kFirst})) << "once, when it changed";
  EXPECT_FALSE(power->facts(kSecond).measured);
}

TEST_F(live_power, says_how_long_a_node_is_expected_to_boot) {
  switch_second_off();
  EXPECT_EQ(power->facts(kSecond).boot, "10s, as the settings say");
  submit(100);
  answer(101, "done");
  hear(kSecond, NodeState::up);
  power->every_second(at(107));
  answer(107, "");
  ASSERT_EQ(of(kSecond).power, NodePower::on);
  EXPECT_EQ(power->facts(kSecond).boot, "7s, by its last boots");
  power->every_second(at(200));
  start();
  EXPECT_EQ(power->facts(kSecond).boot, "7s, by its last boots") << "a new manager knows it, too";
}

}  // namespace
}  // namespace aliquot
