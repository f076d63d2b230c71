// CAPE-RM: which CPU-only jobs stand beside GPU jobs; on examples worked out by hand and, against a plain
// reading of the rule, on random clusters.
#include "policies/collocation/cape_rm.hpp"

#include <gtest/gtest.h>

#include "monitor/record/plan_check.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/policies/fitting/gpu_cluster.hpp"

namespace aliquot {
namespace {

using test::change_of;
using test::GpuCluster;
using test::whole;

Placement placement_of(const Plan& plan, JobId job) {
  const Change* change = change_of(plan, job);
  return change ? change->placement : Placement{};
}
Placement on(std::uint32_t node) { return {{{node}, 1}}; }

// Runs on the node with one of its devices, and is expected to go on for so long.
Job& gpu_job(GpuCluster& cluster, NodeId node, std::int64_t cpus, std::int64_t rest_s) {
  Job& job = cluster.holds(node, cpus, whole(1), 1);
  job.demand.estimate = seconds(rest_s);
  return job;
}
// Waits; a task of this size is expected to take so long.
JobId cpu_job(GpuCluster& cluster, std::int64_t cpus, std::int64_t takes_s) {
  Job& job = cluster.asks(1, cpus);
  job.demand.memory = mebibytes(16);
  job.demand.estimate = seconds(takes_s);
  return job.id;
}

Plan decided(const GpuCluster& cluster, std::string_view policy = "CAPE-RM") {
  Plan plan = cluster.decide(policy);
  EXPECT_TRUE(check_plan(cluster.view, plan).empty()) << policy;
  return plan;
}

TEST(CapeRm, a_job_stands_beside_a_gpu_job_that_is_expected_to_outlast_it) {
  GpuCluster cluster;
  cluster.node(6, 1);
  gpu_job(cluster, {0}, 2, 1000);
  const JobId as_long = cpu_job(cluster, 2, 1000);
  const JobId longer = cpu_job(cluster, 1, 1001);
  const Plan plan = decided(cluster);
  EXPECT_EQ(placement_of(plan, as_long), on(0));
  EXPECT_EQ(change_of(plan, longer), nullptr);
}

TEST(CapeRm, what_a_gpu_job_has_done_already_shortens_its_rest) {
  GpuCluster cluster;
  cluster.node(6, 1);
  Job& job = gpu_job(cluster, {0}, 2, 1000);
  job.progress = {seconds(600) * kFullYield, kFullYield, cluster.view.now, {}};
  const JobId fits = cpu_job(cluster, 1, 400);
  const JobId longer = cpu_job(cluster, 1, 401);
  const Plan plan = decided(cluster);
  EXPECT_EQ(placement_of(plan, fits), on(0));
  EXPECT_EQ(change_of(plan, longer), nullptr);
}

TEST(CapeRm, without_an_estimate_of_both_nothing_is_expected) {
  for (const bool of_gpu_job : {true, false}) {
    GpuCluster cluster;
    cluster.node(6, 1);
    Job& gpu = gpu_job(cluster, {0}, 2, 1000);
    if (of_gpu_job) gpu.demand.estimate.reset();
    const JobId cpu = cpu_job(cluster, 1, 10);
    if (!of_gpu_job) cluster.view.jobs.at(cpu).demand.estimate.reset();
    EXPECT_EQ(change_of(decided(cluster), cpu), nullptr) << of_gpu_job;
  }
}

TEST(CapeRm, so_many_jobs_stand_beside_one_gpu_job) {
  GpuCluster cluster;
  cluster.node(8, 1);
  gpu_job(cluster, {0}, 2, 1000);
  std::vector<JobId> jobs;
  for (int k = 0; k < 4; ++k) jobs.push_back(cpu_job(cluster, 1, 100));
  const auto placed = [&](std::string_view policy) {
    const Plan plan = decided(cluster, policy);
    return std::ranges::count_if(jobs, [&](JobId id) { return change_of(plan, id) != nullptr; });
  };
  EXPECT_EQ(placed("CAPE-RM"), 3);
  EXPECT_EQ(placed("CAPE-RM:jobs=0"), 0);
  EXPECT_EQ(placed("CAPE-RM:jobs=2"), 2);
  EXPECT_EQ(placed("CAPE-RM:jobs=9"), 4);
}

TEST(CapeRm, the_load_of_a_node_is_bounded_and_above_its_capacity_all_share_it) {
  GpuCluster cluster;
  cluster.node(6, 1);
  Job& gpu = gpu_job(cluster, {0}, 3, 1000);
  const JobId half = cpu_job(cluster, 3, 100);
  const JobId more = cpu_job(cluster, 3, 100);
  Plan plan = decided(cluster);
  EXPECT_EQ(placement_of(plan, half), on(0));
  EXPECT_EQ(change_of(plan, more), nullptr);
  plan = decided(cluster, "CAPE-RM:load=150");  // 9 of 6 cores
  EXPECT_EQ(change_of(plan, more)->yield, Yield{666'666});
  EXPECT_LE(change_of(plan, gpu.id)->yield, Yield{666'668});  // it has what rounding leaves
  gpu.demand.min_yield = Yield{900'000};
  plan = decided(cluster, "CAPE-RM:load=150");
  EXPECT_GE(change_of(plan, gpu.id)->yield, Yield{900'000});
  EXPECT_LT(change_of(plan, more)->yield, Yield{666'666});
}

TEST(CapeRm, nodes_without_devices_come_first_and_idle_devices_are_kept) {
  GpuCluster cluster;
  cluster.node(6, 1).node(6, 1).node(6, 0);
  gpu_job(cluster, {0}, 2, 1000);
  const JobId first = cpu_job(cluster, 4, 100);
  const JobId second = cpu_job(cluster, 4, 100);
  const JobId third = cpu_job(cluster, 4, 100);
  const Plan plan = decided(cluster);
  EXPECT_EQ(placement_of(plan, first), on(2));
  EXPECT_EQ(placement_of(plan, second), on(0));
  EXPECT_EQ(change_of(plan, third), nullptr) << "the idle node has devices";
  const Explanation why = (*make_policy("CAPE-RM"))->explain(test::after(cluster.view, plan), third);
  EXPECT_EQ(why.reason, Reason::nodes_busy);
  EXPECT_NE(std::ranges::find(why.nodes, "kept for GPU jobs", &NodeCount::what), why.nodes.end());
}

TEST(CapeRm, nodes_with_devices_are_lent_to_what_no_other_node_could_hold) {
  GpuCluster cluster;
  cluster.node(8, 1).node(4, 0);
  const JobId large = cpu_job(cluster, 6, 100);
  const JobId small = cpu_job(cluster, 4, 100);
  const JobId waits = cpu_job(cluster, 4, 100);
  const Plan plan = decided(cluster);
  EXPECT_EQ(placement_of(plan, large), on(0));
  EXPECT_EQ(placement_of(plan, small), on(1));
  EXPECT_EQ(change_of(plan, waits), nullptr);
}

TEST(CapeRm, a_node_has_one_gpu_job) {
  GpuCluster cluster;
  cluster.node(8, 2);
  gpu_job(cluster, {0}, 2, 1000);
  const JobId waits = cluster.asks(1, 2, whole(1)).id;
  EXPECT_EQ(change_of(decided(cluster), waits), nullptr);
  const Explanation why = (*make_policy("CAPE-RM"))->explain(cluster.view, waits);
  EXPECT_EQ(why.reason, Reason::nodes_busy);
  EXPECT_NE(why.text.find("another GPU job"), std::string::npos) << why.text;
}

TEST(CapeRm, a_gpu_job_comes_first_and_others_beside_it_at_once) {
  GpuCluster cluster;
  cluster.node(6, 1);
  const JobId cpu = cpu_job(cluster, 4, 100);
  Job& gpu = cluster.asks(1, 2, whole(1));
  gpu.demand.estimate = seconds(200);
  const Plan plan = decided(cluster);
  EXPECT_EQ(placement_of(plan, gpu.id), on(0));
  EXPECT_EQ(placement_of(plan, cpu), on(0));
}

// --- A plain reading of the rule, on random clusters
// ------------------------------------------------------

GpuCluster random_cluster(std::uint64_t seed) {
  test::Dice dice(seed);
  GpuCluster cluster;
  const auto nodes = static_cast<std::uint32_t>(dice.between(2, 6));
  for (std::uint32_t n = 0; n < nodes; ++n)
    cluster.node(dice.between(4, 8), static_cast<std::uint16_t>(dice.between(0, 2)));
  for (std::uint32_t n = 0; n < nodes; ++n)
    if (!cluster.view.nodes[n].devices.empty() && dice.chance(60))
      gpu_job(cluster, {n}, dice.between(1, 3), dice.between(1, 20) * 100);
  for (std::int64_t k = dice.between(3, 12); k > 0; --k) {
    const JobId id = cpu_job(cluster, dice.between(1, 5), dice.between(1, 20) * 100);
    cluster.view.jobs.at(id).demand.tasks = static_cast<std::uint32_t>(dice.between(1, 2));
  }
  return cluster;
}

TEST(CapeRm, no_job_is_placed_against_the_rule) {
  std::size_t beside = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    const GpuCluster cluster = random_cluster(seed);
    const bool loaded = seed % 2 == 0;
    const std::int64_t percent = loaded ? 150 : 100;
    const ClusterView after =
        test::after(cluster.view, decided(cluster, loaded ? "CAPE-RM:load=150" : "CAPE-RM"));
    for (const Node& node : after.nodes) {
      const Job* gpu = nullptr;
      std::vector<const Job*> others;
      Cpu load;
      for (const auto& [id, job] : after.jobs)
        for (const Share& share : job.placement) {
          if (share.node != node.id) continue;
          load += job.demand.need * share.units;
          if (job.demand.devices.any())
            gpu = &job;
          else
            others.push_back(&job);
        }
      ASSERT_LE(load.raw * 100, node.capacity.raw * (gpu ? percent : 100)) << "seed " << seed;
      if (!gpu) continue;
      ASSERT_LE(others.size(), 3U) << "seed " << seed;
      for (const Job* other : others)
        ASSERT_LE(*other->demand.estimate, *gpu->demand.estimate) << "seed " << seed;
      beside += others.size();
    }
  }
  EXPECT_GT(beside, 1'000U);
}

}  // namespace
}  // namespace aliquot
