// is_uniform() against every single way in which two VMs can differ. That the core knows which jobs are
// uniform is checked by test/faults.
#include "manager/core/uniform.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

Vm running_on(std::uint32_t node) {
  Vm vm;
  vm.state = VmState::running;
  vm.incarnation = 1;
  vm.node = vm.wanted = {node};
  vm.cap = kFullYield;
  vm.has_run = true;
  return vm;
}

JobRecord of(std::vector<Vm> vms) {
  JobRecord record;
  record.vms = std::move(vms);
  return record;
}

TEST(uniform, vms_may_differ_in_their_nodes) {
  EXPECT_TRUE(is_uniform(of({running_on(0)})));
  EXPECT_TRUE(is_uniform(of({running_on(0), running_on(7), running_on(3)})));
}

TEST(uniform, vms_may_differ_in_nothing_else) {
  const std::vector<std::pair<const char*, std::function<void(Vm&)>>> ways{
      {"state", [](Vm& vm) { vm.state = VmState::ready; }},
      {"incarnation", [](Vm& vm) { ++vm.incarnation; }},
      {"units", [](Vm& vm) { ++vm.units; }},
      {"cap", [](Vm& vm) { vm.cap = {1}; }},
      {"stale cap", [](Vm& vm) { vm.cap_stale = true; }},
      {"has run", [](Vm& vm) { vm.has_run = false; }},
      {"unclear", [](Vm& vm) { vm.unclear = true; }},
      {"keeps its place", [](Vm& vm) { vm.keeps_place = true; }},
      {"flight", [](Vm& vm) { vm.flight = Flight{}; }},
      {"failures", [](Vm& vm) { ++vm.failures; }},
      {"back-off", [](Vm& vm) { vm.not_before = Instant{1}; }},
      {"exit code", [](Vm& vm) { vm.exit_code = 0; }},
      {"not where it is wanted", [](Vm& vm) { vm.wanted = {9}; }},
  };
  for (const auto& [what, change] : ways) {
    for (const std::size_t which : {0U, 1U, 2U}) {
      JobRecord record = of({running_on(0), running_on(1), running_on(2)});
      change(record.vms[which]);
      EXPECT_FALSE(is_uniform(record)) << what << " of VM " << which;
    }
  }
}

// It will be there once it is created, and an outcome that is the same for all VMs must not hide it.
TEST(uniform, a_vm_that_is_created_elsewhere_than_wanted_is_not) {
  Vm vm;
  EXPECT_TRUE(is_uniform(of({vm}))) << "a VM that does not exist is in place";
  vm.wanted = {3};
  EXPECT_TRUE(is_uniform(of({vm})));
  vm.flight = Flight{{4}, ActionKind::create, {1}, kFullYield, {}};
  vm.node = {1};
  EXPECT_FALSE(is_uniform(of({vm})));
}

// The plan was changed while the VM was on its way.
TEST(uniform, a_vm_that_leaves_where_it_is_wanted_is_not) {
  Vm vm = running_on(0);
  vm.flight = Flight{{4}, ActionKind::migrate, {1}, {}, {}};
  EXPECT_FALSE(is_uniform(of({vm})));
}

TEST(uniform, flights_may_go_to_different_nodes_and_differ_in_nothing_else) {
  const auto flying = [](std::uint32_t node, const Flight& flight) {
    Vm vm;
    vm.node = vm.wanted = {node};
    vm.flight = flight;
    return vm;
  };
  const Flight first{{4}, ActionKind::create, {0}, kFullYield, Instant{1}};
  const auto beside = [&](const Flight& second) {
    return is_uniform(of({flying(0, first), flying(1, second)}));
  };
  EXPECT_TRUE(beside({{4}, ActionKind::create, {1}, kFullYield, Instant{1}}));
  EXPECT_FALSE(beside({{5}, ActionKind::create, {1}, kFullYield, Instant{1}}));
  EXPECT_FALSE(beside({{4}, ActionKind::restore, {1}, kFullYield, Instant{1}}));
  EXPECT_FALSE(beside({{4}, ActionKind::create, {1}, Yield{1}, Instant{1}}));
  EXPECT_FALSE(beside({{4}, ActionKind::create, {1}, kFullYield, Instant{2}}));
}

// Found by test/faults: a saved VM is on no node, and it is destroyed on the node where its image was made.
TEST(uniform, a_saved_job_that_is_cancelled_while_it_waits_for_another_node_is_not) {
  using test::submission;
  test::ScriptedWorld world({test::node(0), test::node(1)});
  const auto start = [&](std::uint64_t id, std::uint32_t on, std::int64_t second) {
    world.will_decide({{{id}, {{{on}, 1}}, kFullYield}});
    world.complete(world.at(second, {Submitted{{id}, submission(1, 500, 800)}}));
  };
  start(1, 0, 0);
  start(2, 1, 1);
  world.will_decide({{{1}, {}, {}}});
  world.complete(world.at(10, {HoldChanged{{1}, true}}));
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}, {{2}, {}, {}}});
  const Step waits = world.at(20, {HoldChanged{{1}, false}});
  ASSERT_EQ(waits.actions.size(), 1U) << "the restore waits for the memory that the save will free";
  const Step cancelled = world.at(21, {Cancelled{{1}, JobResult::cancelled, {}}});
  ASSERT_EQ(cancelled.actions.size(), 1U);
  EXPECT_EQ(test::ScriptedWorld::describe(cancelled.actions[0]), "destroy 1.0");
  const Cluster& cluster = world.scheduler().cluster();
  EXPECT_FALSE(is_uniform(*cluster.record({1})));
  std::vector<PendingJob> pending;
  cluster.list_pending(pending);
  ASSERT_EQ(pending.at(0).id, JobId{1});
  EXPECT_FALSE(pending[0].uniform);
}

}  // namespace
}  // namespace aliquot
