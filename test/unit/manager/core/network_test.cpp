// Jobs with a network: their VMs are paused as one, and told where the nodes are.
#include <gtest/gtest.h>

#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

std::vector<Node> two_nodes() {
  std::vector<Node> nodes{test::node(0, 4, 4000), test::node(1, 4, 4000)};
  nodes[0].address = "10.0.0.1";
  nodes[1].address = "10.0.0.2";
  return nodes;
}

Submission networked(std::uint32_t tasks) {
  Submission job = submission(tasks, 1000, 100);
  job.network = JobNetwork{{{0x0ad30000}, 16}, 1450};
  return job;
}

struct job_network : testing::Test {
  // Job 1 is submitted at 0; its two tasks run on two nodes from then on.
  void start(Submission job) {
    world.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, kFullYield}});
    (void)world.complete(world.at(0, {Submitted{{1}, std::move(job)}}));
  }
  Step pause(std::int64_t second) {
    world.will_decide({{{1}, {}, {}}});
    return world.at(second, {HoldChanged{{1}, true}});
  }
  static std::string said(const Step& step) {
    std::string all;
    for (const Action& action : step.actions) all += ScriptedWorld::describe(action) + ";";
    return all;
  }
  static Event outcome(const Action& action, std::uint32_t task, std::optional<ErrorKind> error = {}) {
    Outcome made{head(action).op, head(action).job, {task, 1}, {}, {}, {}};
    if (error) made.error = Error{*error, "planted"};
    return made;
  }

  ScriptedWorld world{two_nodes()};
};

TEST_F(job_network, all_vms_are_suspended_before_the_first_is_saved) {
  start(networked(2));
  EXPECT_EQ(world.complete(pause(10)), "suspend 1.0+2;save 1.0+2;");
}

TEST_F(job_network, a_job_without_one_is_saved_at_once) {
  start(submission(2, 1000, 100));
  EXPECT_EQ(world.complete(pause(10)), "save 1.0+2;");
}

TEST_F(job_network, nothing_is_saved_while_a_vm_still_runs) {
  start(networked(2));
  const Step stopping = pause(10);
  const Step half = world.round({outcome(stopping.actions.at(0), 0)});
  EXPECT_EQ(said(half), "");
  const Step failed = world.round({outcome(stopping.actions.at(0), 1, ErrorKind::internal)});
  EXPECT_EQ(said(failed), "") << "the VM that is suspended waits for the other";
  const Step again = world.at(60);
  EXPECT_EQ(said(again), "suspend 1.1;");
  EXPECT_EQ(world.complete(again), "suspend 1.1;save 1.0+2;");
}

TEST_F(job_network, vms_that_were_suspended_are_released_together_if_the_job_is_to_run_after_all) {
  start(networked(2));
  const Step stopping = pause(10);
  world.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, kFullYield}});
  const Step step = world.round(
      {outcome(stopping.actions.at(0), 0), outcome(stopping.actions.at(0), 1), HoldChanged{{1}, false}});
  EXPECT_EQ(world.complete(step), "release 1.0+2;");
}

TEST_F(job_network, its_vms_are_told_the_addresses_of_all_nodes) {
  start(networked(2));
  const auto addresses = [this] { return world.scheduler().cluster().spec({1})->node_addresses; };
  EXPECT_EQ(addresses(), (std::vector<std::string>{"10.0.0.1", "10.0.0.2"}));
  std::vector<Node> more = two_nodes();
  more.push_back(test::node(2, 4, 4000));
  more.back().address = "10.0.0.3";
  (void)world.at(20, {Configured{more, {}, {}}});
  EXPECT_EQ(addresses().size(), 3U) << "a node was added";
}

}  // namespace
}  // namespace aliquot
