// Drains that begin at a time, and maintenance windows: begun and ended by time alone, under the hand of
// operators, the same after a restart.
#include "manager/core/maintenance_windows.hpp"

#include <gtest/gtest.h>

#include "manager/core/recorded.hpp"
#include "manager/store/state_codec.hpp"
#include "monitor/codec_step.hpp"
#include "test/support/scripted_world.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;

Instant second(std::int64_t n) { return Instant{} + seconds(n); }

// Of the nodes 0 and 1, from second 100 to 200; they are drained from second 60 on.
MaintenanceWindow window(const std::string& name = "ram") {
  MaintenanceWindow its{name, {{0}, {1}}, second(100), second(200), seconds(40)};
  its.by = "uid 7";
  return its;
}

class maintenance : public testing::Test {
 protected:
  maintenance() : world({node(0), node(1), node(2)}) {}

  void plan(const MaintenanceWindow& its) { world.at(0, {WindowChanged{its, WindowStage::planned, ""}}); }
  // Whatever is due until then, each at its time; what the core has said of nodes and windows.
  std::string pass(std::int64_t until) {
    std::string said;
    while (world.scheduler().next_due() <= second(until)) {
      const Step step = world.at(world.scheduler().next_due().raw / kMillion);
      steps.push_back(step);
      said += described(step);
    }
    world.at(until);
    return said;
  }
  static std::string described(const Step& step) {
    std::string said;
    const std::string at = std::to_string(step.now.raw / kMillion) + ":";
    for (const Event& event : step.events) {
      if (const auto* changed = std::get_if<ServiceChanged>(&event))
        said += at + "n" + std::to_string(changed->node.raw) +
                (changed->service == NodeService::draining ? " drained;" : " back;");
      if (const auto* changed = std::get_if<WindowChanged>(&event))
        said += at + changed->window.name + (changed->stage == WindowStage::begun ? " begun;" : " over;");
    }
    return said;
  }
  void drain(std::int64_t at, std::uint32_t which) {
    world.at(at, {ServiceChanged{
                     {which}, NodeService::draining, Drain{DrainMode::save, {}, second(at), "uid 8"}}});
  }
  [[nodiscard]] const CoreState& state() const { return world.scheduler().cluster().state(); }
  [[nodiscard]] NodeService service(std::uint32_t which) const { return state().view.nodes[which].service; }
  [[nodiscard]] const std::optional<Drain>& drain_of(std::uint32_t which) const {
    return state().node_records.at({which}).drain;
  }

  ScriptedWorld world;
  std::vector<Step> steps;
};

TEST_F(maintenance, drains_its_nodes_before_it_starts_and_puts_them_back_when_it_ends) {
  plan(window());
  EXPECT_EQ(world.scheduler().next_due(), second(60));
  EXPECT_EQ(pass(199), "60:n0 drained;60:n1 drained;60:ram begun;");
  ASSERT_TRUE(drain_of(0));
  EXPECT_EQ(drain_of(0)->deadline, second(80)) << "what is left then has until second 100 to be saved";
  EXPECT_EQ(drain_of(0)->window, "ram");
  EXPECT_EQ(drain_of(0)->by, "uid 7");
  EXPECT_EQ(service(2), NodeService::in_service);
  EXPECT_EQ(pass(300), "200:n0 back;200:n1 back;200:ram over;");
  EXPECT_EQ(service(0), NodeService::in_service);
  EXPECT_FALSE(drain_of(0));
  EXPECT_TRUE(state().windows.empty());
  EXPECT_EQ(world.scheduler().next_due(), kNever);
}

TEST_F(maintenance, leaves_alone_a_node_that_an_operator_drains) {
  plan(window());
  drain(10, 0);
  EXPECT_EQ(pass(150), "60:n1 drained;60:ram begun;");
  EXPECT_EQ(drain_of(0)->by, "uid 8");
  EXPECT_EQ(pass(300), "200:n1 back;200:ram over;");
  EXPECT_EQ(service(0), NodeService::draining);
}

TEST_F(maintenance, leaves_alone_a_node_that_an_operator_drains_in_the_moment_in_which_it_ends) {
  plan(window());
  pass(199);
  drain(200, 0);
  EXPECT_EQ(service(0), NodeService::draining) << "the end of the window came after the operator";
  EXPECT_EQ(service(1), NodeService::in_service);
}

TEST_F(maintenance, does_not_begin_on_a_node_that_an_operator_drains_in_that_moment) {
  plan(window());
  pass(59);
  drain(60, 0);
  EXPECT_EQ(drain_of(0)->by, "uid 8");
  EXPECT_EQ(drain_of(1)->by, "uid 7");
}

TEST_F(maintenance, does_not_drain_again_a_node_that_an_operator_has_put_back) {
  plan(window());
  pass(70);
  world.at(75, {ServiceChanged{{0}, NodeService::in_service, {}}});
  EXPECT_EQ(pass(300), "200:n1 back;200:ram over;");
  EXPECT_EQ(service(0), NodeService::in_service);
}

TEST_F(maintenance, that_is_removed_puts_its_nodes_back) {
  plan(window());
  pass(120);
  world.at(120, end_of_window(state(), *window_named(state(), "ram"), "uid 7 has removed it"));
  EXPECT_EQ(service(0), NodeService::in_service);
  EXPECT_EQ(pass(300), "");
}

TEST_F(maintenance, that_was_slept_through_is_over_and_drains_nothing) {
  plan(window());
  EXPECT_EQ(described(world.at(500)), "500:ram over;");
  EXPECT_EQ(service(0), NodeService::in_service);
}

TEST_F(maintenance, begins_late_if_the_manager_was_not_there) {
  plan(window());
  EXPECT_EQ(described(world.at(150)), "150:n0 drained;150:n1 drained;150:ram begun;");
  EXPECT_EQ(pass(300), "200:n0 back;200:n1 back;200:ram over;");
}

TEST_F(maintenance, passes_over_a_node_that_was_removed) {
  plan(window());
  world.at(10, {Configured{{node(1), node(2)}}});
  EXPECT_EQ(pass(300), "60:n1 drained;60:ram begun;200:n1 back;200:ram over;");
}

TEST_F(maintenance, is_planned_once_by_a_name) {
  plan(window());
  MaintenanceWindow other = window();
  other.to = second(900);
  plan(other);
  ASSERT_EQ(state().windows.size(), 1U);
  EXPECT_EQ(state().windows[0].to, second(200));
}

TEST_F(maintenance, is_the_same_after_a_restart_from_a_snapshot_and_the_steps_since) {
  plan(window());
  world.at(1, {DrainAnnounced{{2}, Drain{DrainMode::save, second(90), second(70), "uid 8"}}});
  world.at(2, {MessageChanged{"the disk is full", 7}});
  auto before = decode_state(encode_state(state()));
  ASSERT_TRUE(before) << before.error().message;
  ASSERT_TRUE(check_recorded(*before));
  pass(150);
  Scheduler again(Cluster(std::move(*before)),
                  std::make_unique<test::ScriptedPolicy>(std::make_shared<std::deque<Plan>>()));
  for (const Step& step : steps) {
    const auto read = decode_step(encode_step(step));
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_TRUE(again.replay(*read));
  }
  EXPECT_EQ(again.cluster().state().windows, state().windows);
  EXPECT_EQ(again.cluster().state().node_records, state().node_records);
  EXPECT_EQ(again.cluster().state().message, state().message);
  EXPECT_EQ(again.next_due(), second(200));
}

TEST_F(maintenance, of_nodes_that_are_not_known_is_refused_when_it_is_read) {
  MaintenanceWindow its = window();
  EXPECT_EQ(fault_of(its, 3), "");
  its.nodes.push_back({3});
  EXPECT_EQ(fault_of(its, 3), "maintenance window ram: it is of node 3 of 3");
  its = window();
  its.to = its.from;
  EXPECT_NE(fault_of(its, 3), "");
}

TEST_F(maintenance, that_is_ahead_is_shown_to_policies_until_its_drain_begins) {
  plan(window());
  const std::vector<NodeClosing> shown{{{0}, second(100), second(200), "ram"},
                                       {{1}, second(100), second(200), "ram"}};
  EXPECT_EQ(state().view.closings, shown);
  MaintenanceWindow later = window();
  later.name = "disks";
  later.from = second(400);
  later.to = second(500);
  later.nodes = {{1}};
  plan(later);
  EXPECT_EQ(state().view.closings, shown) << "of a node the next one";
  pass(70);
  EXPECT_EQ(state().view.closings, (std::vector<NodeClosing>{{{1}, second(400), second(500), "disks"}}));
}

TEST_F(maintenance, that_has_jobs_start_anew_keeps_none_off) {
  MaintenanceWindow its = window();
  its.then = AfterDeadline::requeue;
  plan(its);
  its.name = "disks";
  its.then = AfterDeadline::save;
  its.mode = DrainMode::requeue;
  plan(its);
  EXPECT_TRUE(state().view.closings.empty());
}

TEST_F(maintenance, has_the_policy_decide_again_when_it_is_removed) {
  plan(window());
  const Step step =
      world.at(5, end_of_window(state(), *window_named(state(), "ram"), "uid 7 has removed it"));
  EXPECT_TRUE(state().view.closings.empty());
  EXPECT_TRUE(step.decision) << "what was kept off the nodes may start there now";
}

TEST_F(maintenance, is_shown_to_policies_after_a_restart_from_a_snapshot_that_does_not_have_it) {
  plan(window());
  auto stored = decode_state(encode_state(state()));
  ASSERT_TRUE(stored) << stored.error().message;
  stored->view.closings.clear();
  EXPECT_EQ(Cluster(std::move(*stored)).view().closings, state().view.closings);
}

TEST_F(maintenance, concerns_the_limits_of_jobs_that_can_be_neither_saved_nor_moved) {
  Submission job = test::submission(1, 100, 100);
  job.time_limit = seconds(50);
  job.wall_limit = seconds(60);
  world.at(1, {Submitted{{1}, job}});
  job.demand.movable = false;
  world.at(2, {Submitted{{2}, job}});
  EXPECT_FALSE(world.job(1).wall_limit);
  EXPECT_EQ(world.job(2).time_limit, seconds(50));
  EXPECT_EQ(world.job(2).wall_limit, seconds(60));
}

class announced_drains : public maintenance {
 protected:
  void announce(std::int64_t at, std::int64_t begin) {
    world.at(at, {DrainAnnounced{{2}, Drain{DrainMode::save, second(begin + 20), second(begin), "uid 8"}}});
  }
};

TEST_F(announced_drains, begin_at_their_time) {
  announce(0, 50);
  EXPECT_EQ(world.scheduler().next_due(), second(50));
  EXPECT_EQ(service(2), NodeService::in_service);
  EXPECT_EQ(pass(60), "50:n2 drained;");
  EXPECT_EQ(drain_of(2)->deadline, second(70));
  EXPECT_TRUE(state().announced.empty());
  EXPECT_EQ(world.scheduler().next_due(), kNever);
}

TEST_F(announced_drains, are_shown_to_policies_until_they_begin) {
  announce(0, 50);
  EXPECT_EQ(state().view.closings, (std::vector<NodeClosing>{{{2}, second(70), std::nullopt, ""}}));
  plan(window());
  EXPECT_EQ(state().view.closings.size(), 3U);
  pass(50);
  EXPECT_EQ(state().view.closings.size(), 2U) << "those of the window are left";
}

TEST_F(announced_drains, close_the_node_when_they_begin_if_they_have_no_deadline) {
  world.at(0, {DrainAnnounced{{2}, Drain{DrainMode::wait, {}, second(50), "uid 8"}}});
  EXPECT_EQ(state().view.closings, (std::vector<NodeClosing>{{{2}, second(50), std::nullopt, ""}}));
}

TEST_F(announced_drains, that_have_jobs_start_anew_keep_none_off) {
  world.at(0, {DrainAnnounced{{2}, Drain{DrainMode::requeue, second(70), second(50), "uid 8"}}});
  EXPECT_TRUE(state().view.closings.empty());
}

TEST_F(announced_drains, are_withdrawn) {
  announce(0, 50);
  const Step step = world.at(10, {DrainAnnounced{{2}, {}}});
  EXPECT_TRUE(state().view.closings.empty());
  EXPECT_TRUE(step.decision) << "what was kept off the node may start there now";
  EXPECT_EQ(pass(100), "");
}

TEST_F(announced_drains, take_the_place_of_earlier_ones_of_the_node) {
  announce(0, 50);
  announce(10, 90);
  EXPECT_EQ(pass(100), "90:n2 drained;");
}

TEST_F(announced_drains, are_forgotten_when_an_operator_drains_the_node_before) {
  announce(0, 50);
  drain(10, 2);
  world.at(20, {ServiceChanged{{2}, NodeService::in_service, {}}});
  EXPECT_EQ(pass(100), "");
}

TEST_F(announced_drains, come_after_a_maintenance_window_of_the_node) {
  MaintenanceWindow its = window();
  its.nodes = {{2}};
  plan(its);
  announce(1, 300);
  EXPECT_EQ(pass(400), "60:n2 drained;60:ram begun;200:n2 back;200:ram over;300:n2 drained;");
}

TEST_F(announced_drains, within_a_maintenance_window_outlast_it) {
  MaintenanceWindow its = window();
  its.nodes = {{2}};
  plan(its);
  announce(1, 150);
  EXPECT_EQ(pass(400), "60:n2 drained;60:ram begun;150:n2 drained;200:ram over;");
  EXPECT_EQ(drain_of(2)->by, "uid 8");
}

TEST_F(announced_drains, go_with_their_node) {
  announce(0, 50);
  world.at(10, {Configured{{node(0), node(1)}}});
  EXPECT_TRUE(state().announced.empty());
  EXPECT_TRUE(state().view.closings.empty());
  EXPECT_EQ(pass(100), "");
}

TEST_F(maintenance, has_nothing_to_do_with_the_message_of_the_day) {
  const Step step = world.at(5, {MessageChanged{"all well", 7}});
  EXPECT_FALSE(step.decision) << "nothing has happened to a job or a node";
  EXPECT_EQ(state().message, (MessageOfTheDay{"all well", 7, second(5)}));
  world.at(6, {MessageChanged{"", 7}});
  EXPECT_EQ(state().message, MessageOfTheDay{});
}

}  // namespace
}  // namespace aliquot
