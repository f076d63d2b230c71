// Slices of devices in the window of IPSCHED and AUCSCHED: chosen with the others, not after them.
#include <gtest/gtest.h>

#include "monitor/record/plan_check.hpp"
#include "policies/policy.hpp"
#include "test/support/random_view.hpp"
#include "test/support/toy_cluster.hpp"

namespace aliquot {
namespace {

using test::ToyCluster;
using test::ToyJob;

constexpr const char* kPolicies[] = {"IPSCHED", "AUCSCHED", "IPSCHED/objective=pr"};
constexpr const char* kHybrid = "HYBRID(IPSCHED,DYNMCB8-ASAP-PER-600+match)";

std::vector<Node> machine(std::uint32_t count, std::uint32_t gpus) {
  std::vector<Node> nodes(count);
  for (std::uint32_t n = 0; n < count; ++n) {
    nodes[n].id = {n};
    nodes[n].name = "n" + std::to_string(n);
    nodes[n].capacity = cores(8);
    nodes[n].cores = 8;
    nodes[n].memory = mebibytes(16'384);
    nodes[n].devices.assign(gpus, {{static_cast<std::uint16_t>(n % 2)}});
  }
  return nodes;
}

Demand task(std::uint16_t gpus, std::uint16_t parts) {
  Demand demand;
  demand.tasks = 1;
  demand.need = cores(1);
  demand.memory = mebibytes(512);
  demand.devices = {gpus, gpus > 0 ? parts : kWholeDevice, kAnyModel};
  demand.min_yield = kFullYield;
  demand.movable = gpus == 0;
  return demand;
}

ClusterView view_of(std::vector<Node> nodes, const std::vector<Demand>& demands) {
  ClusterView view;
  view.cause.tick = true;
  view.nodes = std::move(nodes);
  view.device_models = {"GPU", "TPU"};
  for (std::uint64_t id = 1; id <= demands.size(); ++id) {
    Job job;
    job.id = {id};
    job.demand = demands[id - 1];
    job.submitted = {static_cast<std::int64_t>(id)};
    view.jobs.emplace(job.id, job);
  }
  return view;
}

std::vector<std::uint64_t> started(const char* policy, const ClusterView& view) {
  const Plan plan = make_policy(policy).value()->decide(view);
  EXPECT_TRUE(check_plan(view, plan).empty()) << policy;
  std::vector<std::uint64_t> jobs;
  for (const Change& change : plan.changes)
    if (!change.placement.empty()) jobs.push_back(change.job.raw);
  return jobs;
}

// One after the other the whole device went first, whatever its priority.
TEST(CollectiveSlices, two_slices_have_a_higher_value_than_the_job_that_wants_the_whole_device) {
  const ClusterView view = view_of(machine(1, 1), {task(1, 1000), task(1, 600), task(1, 400)});
  for (const char* policy : kPolicies)
    EXPECT_EQ(started(policy, view), (std::vector<std::uint64_t>{2, 3})) << policy;
}

TEST(CollectiveSlices, a_slice_of_higher_priority_goes_before_a_whole_device) {
  const ClusterView view = view_of(machine(1, 1), {task(1, 600), task(1, 1000)});
  for (const char* policy : kPolicies)
    EXPECT_EQ(started(policy, view), (std::vector<std::uint64_t>{1})) << policy;
}

TEST(CollectiveSlices, count_in_the_certified_gap) {
  const ClusterView view = view_of(machine(2, 1), {task(1, 600), task(1, 600), task(1, 600)});
  const auto proven = make_policy("IPSCHED").value()->proven_gap(view);
  ASSERT_TRUE(proven);
  EXPECT_EQ(proven->jobs, 3U);
  EXPECT_GT(proven->incumbent, 0);
  EXPECT_LE(proven->incumbent, proven->bound);
}

// Nodes whose devices are cut by those that run, more of them than a cell tells apart.
TEST(CollectiveSlices, whole_runs_keep_every_law) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    test::Dice dice(seed);
    std::vector<ToyJob> jobs;
    for (std::uint64_t id = 1; id <= 60; ++id) {
      const auto gpus = static_cast<std::uint16_t>(dice.chance(70) ? 1 : dice.between(0, 2));
      const bool slice = gpus == 1 && dice.chance(80);
      Demand demand = task(gpus, static_cast<std::uint16_t>(slice ? 10 * dice.between(1, 99) : 1000));
      demand.tasks = static_cast<std::uint32_t>(dice.between(1, 3));
      if (gpus > 0 && dice.chance(30))
        demand.devices.models = DeviceModel{static_cast<std::uint16_t>(seed % 2)};
      jobs.push_back({{id}, {seconds(dice.between(0, 60)).raw}, demand, seconds(dice.between(5, 90))});
    }
    for (const char* policy : {kPolicies[0], kPolicies[1], kPolicies[2], kHybrid}) {
      const auto result = ToyCluster(machine(3, 9), jobs, {}).run(policy);
      ASSERT_EQ("", result.complaint) << policy << ", seed " << seed;
      ASSERT_EQ(jobs.size(), result.end.size()) << policy << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace aliquot
