// Devices through the core: one VM on each node, charged by its units; a device is never given twice.
#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/index_check.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;
using test::submission;

constexpr DeviceModel kGpu{0};

Node gpu_node(std::uint32_t id, std::size_t gpus) {
  Node made = node(id, 8);
  made.devices.assign(gpus, {kGpu});
  return made;
}

Event submitted(std::uint64_t id, std::uint32_t tasks, DeviceDemand devices) {
  Submission what = submission(tasks, 1000, 100);
  what.demand.devices = devices;
  what.demand.movable = false;
  return Submitted{{id}, what};
}

std::vector<std::int32_t> free_on(const ScriptedWorld& world, std::uint32_t n) {
  const auto free = world.scheduler().cluster().ledger().free_devices().on({n});
  return {free.begin(), free.end()};
}

Event outcome(const Action& action, std::optional<Error> error = {}) {
  return Outcome{head(action).op, head(action).job, head(action).tasks, std::move(error), {}, {}};
}

TEST(devices, a_job_has_one_vm_on_each_node_that_holds_its_units_there) {
  ScriptedWorld world({gpu_node(0, 2), gpu_node(1, 2)});
  world.will_decide({{{1}, {{{0}, 3}, {{1}, 1}}, kFullYield, {0b11, 0b11}}});
  Step step = world.at(0, {submitted(1, 4, {2})});
  EXPECT_EQ(world.complete(std::move(step)), "create 1.0+2 n0,n1;release 1.0+2;");
  EXPECT_EQ(world.violations(), 0U);
  const Cluster& cluster = world.scheduler().cluster();
  EXPECT_EQ(cluster.ledger().charged({0}).memory, mebibytes(300));
  EXPECT_EQ(cluster.ledger().charged({0}).cpu, cores(3));
  EXPECT_EQ(cluster.ledger().charged({1}).memory, mebibytes(100));
  EXPECT_EQ(free_on(world, 0), (std::vector<std::int32_t>{0, 0}));
  const auto spec = cluster.spec({1});
  ASSERT_EQ(spec->tasks.size(), 2U);
  EXPECT_EQ(spec->tasks[0].units, 3U);
  EXPECT_EQ(spec->tasks[0].devices, 0b11U);
  EXPECT_EQ(spec->tasks[1].node, NodeId{1});
  EXPECT_TRUE(world.job(1).pinned);
}

TEST(devices, are_named_to_the_hypervisor_by_where_they_are) {
  std::vector<Node> nodes{gpu_node(0, 3), gpu_node(1, 2)};
  nodes[0].device_places = {"0000:3b:00.0", "", "mdev:u"};
  ScriptedWorld world(std::move(nodes));
  world.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, kFullYield, {0b110, 0b11}}});
  world.complete(world.at(0, {submitted(1, 2, {2})}));
  const auto spec = world.scheduler().cluster().spec({1});
  EXPECT_EQ(spec->places_of(0), (std::vector<std::string>{"mdev:u"})) << "a stand-in is nowhere";
  EXPECT_TRUE(spec->places_of(1).empty());
}

TEST(devices, are_charged_from_the_creation_until_the_vm_is_known_to_be_gone) {
  ScriptedWorld world({gpu_node(0, 1)});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield, {1}}});
  const Step create = world.at(0, {submitted(1, 1, {1})});
  EXPECT_EQ(free_on(world, 0), (std::vector<std::int32_t>{0}));
  world.complete(create);
  const Step destroy = world.at(10, {Cancelled{{1}, JobResult::cancelled, {}}});
  ASSERT_EQ(destroy.actions.size(), 1U);
  EXPECT_EQ(free_on(world, 0), (std::vector<std::int32_t>{0}));
  // The plan may give the device away at once; the VM waits until it is free.
  world.will_decide({{{2}, {{{0}, 1}}, kFullYield, {1}}});
  EXPECT_TRUE(world.at(11, {submitted(2, 1, {1})}).actions.empty());
  const Step next = world.at(12, {outcome(destroy.actions.front())});
  ASSERT_EQ(next.actions.size(), 1U);
  EXPECT_EQ(ScriptedWorld::describe(next.actions.front()), "create 2.0 n0");
  EXPECT_EQ(world.violations(), 0U);
}

TEST(devices, a_creation_whose_outcome_is_not_known_still_holds_them) {
  ScriptedWorld world({gpu_node(0, 1)});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield, {1}}});
  const Step create = world.at(0, {submitted(1, 1, {1})});
  world.at(30, {outcome(create.actions.front(), Error{ErrorKind::timeout, "no answer"})});
  EXPECT_EQ(free_on(world, 0), (std::vector<std::int32_t>{0}));
  world.at(31, {Inspected{{1}, 0, 1, VmFact::absent, {}, {}}});
  EXPECT_EQ(world.vm(1, 0).state, VmState::absent);
  EXPECT_EQ(free_on(world, 0), (std::vector<std::int32_t>{1000}));
}

TEST(devices, slices_share_a_slot_up_to_its_parts) {
  ScriptedWorld world({gpu_node(0, 1)});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield, {1}}, {{2}, {{{0}, 1}}, kFullYield, {1}}});
  world.complete(world.at(0, {submitted(1, 1, {1, 600}), submitted(2, 1, {1, 400})}));
  EXPECT_EQ(free_on(world, 0), (std::vector<std::int32_t>{0}));
  EXPECT_EQ(world.violations(), 0U);
  world.will_decide({{{3}, {{{0}, 1}}, kFullYield, {1}}});
  const Step refused = world.at(1, {submitted(3, 1, {1, 1})});
  ASSERT_TRUE(refused.decision);
  ASSERT_EQ(refused.decision->violations.size(), 1U);
  EXPECT_EQ(refused.decision->violations[0].law, Law::device_parts);
}

TEST(devices, what_ends_gives_its_units_and_its_devices_back) {
  ScriptedWorld world({gpu_node(0, 1), gpu_node(1, 1)});
  world.will_decide({{{1}, {{{0}, 3}, {{1}, 2}}, kFullYield, {1, 1}}});
  world.complete(world.at(0, {submitted(1, 5, {1})}));
  world.at(10, {TaskEnded{{1}, {0, 1}, 1, 0, {}}});
  EXPECT_EQ(world.job(1).demand.tasks, 2U);
  EXPECT_EQ(world.job(1).placement, (Placement{{{1}, 2}}));
  EXPECT_EQ(world.job(1).devices, (std::vector<DeviceSet>{1}));
  EXPECT_EQ(free_on(world, 0), (std::vector<std::int32_t>{1000}));
  const Step last = world.at(20, {TaskEnded{{1}, {1, 1}, 1, 0, {}}});
  ASSERT_EQ(last.ended.size(), 1U);
  EXPECT_EQ(last.ended[0].result, JobResult::completed);
  EXPECT_EQ(last.ended[0].devices, (std::vector<DevicesHeld>{{{0}, 1}, {{1}, 1}}))
      << "what it held is known";
  EXPECT_TRUE(check_view(world.scheduler().cluster().view()).empty());
}

TEST(devices, a_job_that_is_placed_anew_has_other_vms_under_new_names) {
  ScriptedWorld world({gpu_node(0, 2), gpu_node(1, 2), gpu_node(2, 2)});
  world.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, kFullYield, {1, 1}}});
  const Step create = world.at(0, {submitted(1, 2, {1})});
  ASSERT_EQ(create.actions.size(), 1U);
  world.round({outcome(create.actions[0], Error{ErrorKind::refused, "no"})});
  world.at(1, {NodeChanged{{1}, NodeState::down, "gone"}});
  EXPECT_TRUE(world.job(1).placement.empty());
  world.will_decide({{{1}, {{{2}, 2}}, kFullYield, {0b10}}});
  const Step again = world.at(5, {ServiceChanged{{0}, NodeService::draining, {}}});
  ASSERT_EQ(again.actions.size(), 1U);
  EXPECT_EQ(ScriptedWorld::describe(again.actions.front()), "create 1.0 n2");
  EXPECT_EQ(world.scheduler().cluster().record({1})->vms.size(), 1U);
  EXPECT_EQ(world.vm(1, 0).incarnation, 2U);
  EXPECT_EQ(world.vm(1, 0).units, 2U);
  EXPECT_EQ(free_on(world, 2), (std::vector<std::int32_t>{1000, 0}));
}

TEST(devices, a_recovered_cluster_knows_what_is_held) {
  ScriptedWorld world({gpu_node(0, 2), gpu_node(1, 2)});
  world.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, kFullYield, {0b10, 0b01}}});
  world.complete(world.at(0, {submitted(1, 2, {1})}));
  const Cluster recovered(world.scheduler().cluster().state());
  EXPECT_EQ(recovered.ledger().free_devices(), world.scheduler().cluster().ledger().free_devices());
  EXPECT_EQ(recovered.ledger().free_devices().on({0})[1], 0);
  EXPECT_TRUE(test::index_agrees(recovered.view()));
}

Configured named(std::vector<std::string> models, const std::vector<DeviceModel>& devices) {
  Configured said;
  said.nodes = {node(0, 8)};
  for (const DeviceModel model : devices) said.nodes[0].devices.push_back({model});
  said.device_models = std::move(models);
  return said;
}

TEST(devices, models_keep_their_numbers_when_they_are_configured_in_another_order) {
  ScriptedWorld world({});
  world.at(0, {named({"V100", "T4"}, {{0}, {1}})});
  world.at(1, {named({"A100", "T4", "V100"}, {{0}, {1}, {2}})});
  const ClusterView& view = world.scheduler().cluster().view();
  EXPECT_EQ(view.device_models, (std::vector<std::string>{"V100", "T4", "A100"}));
  ASSERT_EQ(view.nodes[0].devices.size(), 3U);
  EXPECT_EQ(view.nodes[0].devices[0].model.raw, 2);
  EXPECT_EQ(view.nodes[0].devices[1].model.raw, 1);
  EXPECT_EQ(view.nodes[0].devices[2].model.raw, 0);
}

TEST(devices, what_was_to_start_on_a_device_that_is_gone_waits_again) {
  ScriptedWorld world({});
  world.at(0, {named({"V100"}, {{0}, {0}})});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield, {0b10}}});
  const Step create = world.at(1, {submitted(1, 1, {1})});
  world.at(2, {outcome(create.actions.front(), Error{ErrorKind::refused, "no such device"})});
  world.at(3, {named({"V100"}, {{0}})});
  EXPECT_TRUE(world.job(1).placement.empty());
  EXPECT_TRUE(world.job(1).devices.empty());
  EXPECT_EQ(free_on(world, 0), (std::vector<std::int32_t>{1000}));
  EXPECT_EQ(world.violations(), 0U);
}

TEST(devices, what_was_to_start_on_a_device_that_is_another_now_waits_again) {
  ScriptedWorld world({});
  world.at(0, {named({"V100", "T4"}, {{0}, {0}})});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield, {0b10}}});
  const Step create = world.at(1, {submitted(1, 1, {1, kWholeDevice, DeviceModel{0}})});
  world.at(2, {outcome(create.actions.front(), Error{ErrorKind::refused, "no such device"})});
  world.at(3, {named({"V100", "T4"}, {{0}, {1}})});
  EXPECT_TRUE(world.job(1).placement.empty());
  EXPECT_EQ(world.violations(), 0U);
}

TEST(devices, what_runs_on_a_device_that_is_gone_runs_on) {
  ScriptedWorld world({});
  world.at(0, {named({"V100"}, {{0}, {0}})});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield, {0b10}}});
  world.complete(world.at(1, {submitted(1, 1, {1})}));
  world.at(2, {named({"V100"}, {{0}})});
  EXPECT_EQ(world.job(1).placement.size(), 1U);
  world.at(3, {TaskEnded{{1}, {0, 1}, 1, 0, {}}});
  EXPECT_EQ(free_on(world, 0), (std::vector<std::int32_t>{1000}));
  EXPECT_EQ(world.violations(), 0U);
}

}  // namespace
}  // namespace aliquot
