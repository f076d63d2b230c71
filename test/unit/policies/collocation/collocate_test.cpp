// COLLOCATE: GPU jobs take what they need from the CPU-only jobs beside them, which move or wait.
#include "policies/collocation/collocate.hpp"

#include <gtest/gtest.h>

#include <set>

#include "monitor/record/plan_check.hpp"
#include "policies/collocation/eviction.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/policies/fitting/gpu_cluster.hpp"

namespace aliquot {
namespace {

using test::change_of;
using test::GpuCluster;
using test::whole;

constexpr const char* kCollocate = "COLLOCATE(FIT-BEST,ALIQUOT)";

Job& wants_gpu(GpuCluster& cluster, std::int64_t cpus, std::int64_t memory_mib) {
  Job& job = cluster.asks(1, cpus, whole(1));
  job.demand.memory = mebibytes(memory_mib);
  job.demand.min_yield = kFullYield;
  return job;
}

Plan decided(const GpuCluster& cluster, std::string_view policy = kCollocate) {
  Plan plan = cluster.decide(policy);
  EXPECT_TRUE(check_plan(cluster.view, plan).empty()) << policy;
  return plan;
}

TEST(Collocate, a_job_without_devices_moves_away_from_a_gpu_job_that_needs_its_memory) {
  GpuCluster cluster;
  cluster.node(4, 1).node(4, 0);
  const JobId cpu_only = cluster.runs({0}, 2, 200).id;
  const JobId gpu = wants_gpu(cluster, 3, 192).id;
  EXPECT_EQ(change_of(decided(cluster, "HYBRID(FIT-BEST,ALIQUOT)"), gpu), nullptr);
  const Plan plan = decided(cluster);
  ASSERT_TRUE(change_of(plan, gpu));
  EXPECT_EQ(change_of(plan, gpu)->yield, kFullYield);
  ASSERT_TRUE(change_of(plan, cpu_only));
  EXPECT_EQ(change_of(plan, cpu_only)->placement, (Placement{{{1}, 1}}));
}

TEST(Collocate, it_is_paused_where_no_other_node_has_the_memory) {
  GpuCluster cluster;
  cluster.node(4, 1);
  const JobId cpu_only = cluster.runs({0}, 2, 200).id;
  const JobId gpu = wants_gpu(cluster, 3, 192).id;
  const Plan plan = decided(cluster);
  ASSERT_TRUE(change_of(plan, gpu));
  ASSERT_TRUE(change_of(plan, cpu_only));
  EXPECT_TRUE(change_of(plan, cpu_only)->placement.empty());
}

TEST(Collocate, beside_a_gpu_job_others_get_what_it_leaves) {
  GpuCluster cluster;
  cluster.node(4, 1);
  const JobId cpu_only = cluster.runs({0}, 4, 16).id;
  Job& gpu = wants_gpu(cluster, 3, 64);
  gpu.demand.min_yield = Yield{900'000};
  const Plan plan = decided(cluster);
  ASSERT_TRUE(change_of(plan, gpu.id));
  EXPECT_GE(change_of(plan, gpu.id)->yield, Yield{900'000});
  ASSERT_TRUE(change_of(plan, cpu_only)) << "it shares the CPU now";
  EXPECT_EQ(change_of(plan, cpu_only)->placement, (Placement{{{0}, 1}}));
  EXPECT_LT(change_of(plan, cpu_only)->yield, kFullYield);
}

TEST(Collocate, nothing_is_evicted_where_both_fit) {
  GpuCluster cluster;
  cluster.node(4, 1).node(4, 1);
  cluster.runs({0}, 2, 200);
  const JobId gpu = wants_gpu(cluster, 3, 192).id;
  const Plan plan = decided(cluster);
  ASSERT_EQ(plan.changes.size(), 1U);
  EXPECT_EQ(plan.changes.front().job, gpu);
  EXPECT_EQ(plan.changes.front().placement, (Placement{{{1}, 1}}));
}

TEST(Collocate, an_immovable_job_stays) {
  GpuCluster cluster;
  cluster.node(4, 1);
  cluster.runs({0}, 2, 200).demand.movable = false;
  const JobId gpu = wants_gpu(cluster, 3, 192).id;
  EXPECT_EQ(change_of(decided(cluster), gpu), nullptr);
}

TEST(Eviction, the_job_with_the_most_memory_leaves_first_and_of_equal_ones_the_latest) {
  GpuCluster cluster;
  cluster.node(8, 1);  // 512 MiB
  cluster.runs({0}, 1, 100);
  const JobId large = cluster.runs({0}, 1, 200).id;
  Job& late = cluster.runs({0}, 1, 200);
  late.submitted = cluster.view.now + Duration{1};
  const JobId gpu = wants_gpu(cluster, 1, 200).id;
  const auto places = [&](Memory memory) {
    cluster.view.jobs.at(gpu).demand.memory = memory;
    Plan plan;
    plan.changes.push_back({gpu, {{{0}, 1}}, kFullYield, {1}});
    return evicted_by(cluster.view, plan);
  };
  EXPECT_EQ(places(mebibytes(12)), std::vector<JobId>{});
  EXPECT_EQ(places(mebibytes(13)), std::vector<JobId>{late.id});
  EXPECT_EQ(places(mebibytes(213)), (std::vector<JobId>{large, late.id}));
}

TEST(Eviction, what_cannot_be_moved_is_not_evicted) {
  GpuCluster cluster;
  cluster.node(8, 1);
  cluster.runs({0}, 1, 300).demand.movable = false;
  cluster.runs({0}, 1, 200).pinned = true;
  const JobId movable = cluster.runs({0}, 1, 10).id;
  Plan plan;
  plan.changes.push_back({wants_gpu(cluster, 1, 200).id, {{{0}, 1}}, kFullYield, {1}});
  EXPECT_EQ(evicted_by(cluster.view, plan), std::vector<JobId>{movable});
}

// Whoever leaves was in the way: each node that the plan uses holds all that stay, and would not hold the
// last that left there as well.
TEST(Eviction, suffices_and_is_needed_on_random_clusters) {
  std::size_t evicting = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    test::Dice dice(seed);
    GpuCluster cluster;
    cluster.node(8, 1).node(8, 1);
    for (std::int64_t k = dice.between(1, 8); k > 0; --k) {
      Job& job =
          cluster.runs({static_cast<std::uint32_t>(dice.between(0, 1))}, 1, dice.between(1, 12) * 10);
      if (dice.chance(30)) job.demand.min_yield = {dice.between(1, kMillion)};
    }
    const Job& gpu = wants_gpu(cluster, dice.between(1, 8), dice.between(1, 50) * 10);
    Plan plan;
    plan.changes.push_back({gpu.id, {{{0}, 1}}, kFullYield, {1}});
    const std::vector<JobId> evicted = evicted_by(cluster.view, plan);
    const auto holds = [&](const std::set<JobId>& gone) {
      Memory memory = gpu.demand.memory;
      Cpu guaranteed = guaranteed_cpu(gpu.demand);
      for (const auto& [id, job] : cluster.view.jobs) {
        if (job.placement != Placement{{{0}, 1}} || gone.contains(id)) continue;
        memory += job.demand.memory;
        guaranteed += guaranteed_cpu(job.demand);
      }
      return memory <= cluster.view.nodes[0].memory && guaranteed <= cluster.view.nodes[0].capacity;
    };
    std::set<JobId> gone(evicted.begin(), evicted.end());
    ASSERT_TRUE(holds(gone)) << "seed " << seed;
    if (evicted.empty()) continue;
    ++evicting;
    const JobId last = *std::ranges::min_element(evicted, {}, [&](JobId id) {
      return std::pair(cluster.view.jobs.at(id).demand.memory, -static_cast<std::int64_t>(id.raw));
    });
    gone.erase(last);
    ASSERT_FALSE(holds(gone)) << "seed " << seed;
  }
  EXPECT_GT(evicting, 100U);
}

TEST(Eviction, a_paused_job_holds_nothing_and_keeps_what_it_has_done) {
  GpuCluster cluster;
  cluster.node(4, 0);
  Job& job = cluster.runs({0}, 2, 100);
  job.progress.since = cluster.view.now + Duration{-seconds(10).raw};
  const ClusterView paused = with_paused(cluster.view, {job.id});
  const Job& shown = paused.jobs.at(job.id);
  EXPECT_EQ(shown.phase, Phase::paused);
  EXPECT_TRUE(shown.placement.empty());
  EXPECT_EQ(shown.yield, Yield{});
  EXPECT_EQ(shown.progress.at(paused.now + seconds(50)), seconds(10) * kFullYield);
}

TEST(Collocate, its_name_has_both_parts_and_the_first_must_place_devices) {
  EXPECT_EQ((*make_policy("COLLOCATE( IPSCHED , DYNMCB8-PER )"))->name(),
            "COLLOCATE(IPSCHED,DYNMCB8-PER-600)");
  EXPECT_NE(
      make_policy("COLLOCATE(EASY,IPSCHED)").error().message.find("cannot be the first of a COLLOCATE"),
      std::string::npos);
  EXPECT_FALSE(make_policy("COLLOCATE(IPSCHED,HYBRID(IPSCHED,EASY))"));
  EXPECT_NE(make_policy("COLLOCATE").error().message.find("write COLLOCATE(P,Q)"), std::string::npos);
  EXPECT_EQ(*with_period("COLLOCATE(IPSCHED,DYNMCB8-PER-600)", seconds(60)),
            "COLLOCATE(IPSCHED,DYNMCB8-PER-60)");
}

}  // namespace
}  // namespace aliquot
