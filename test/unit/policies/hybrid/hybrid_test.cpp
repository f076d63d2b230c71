// HYBRID: devices placed by one policy, the rest shared by another; on examples worked out by hand.
#include "policies/hybrid/hybrid.hpp"

#include <gtest/gtest.h>

#include "monitor/record/plan_check.hpp"
#include "policies/aliquot/policy_state.hpp"
#include "test/unit/policies/fitting/gpu_cluster.hpp"

namespace aliquot {
namespace {

using test::change_of;
using test::GpuCluster;
using test::whole;

constexpr Instant kTick{seconds(1002).raw};  // of IPSCHED: every 3 s
constexpr const char* kHybrid = "HYBRID(IPSCHED,DYNMCB8-ASAP-PER-600+match)";

Job& wants_gpu(GpuCluster& cluster, std::int64_t cpus, std::uint16_t count) {
  Job& job = cluster.asks(1, cpus, whole(count));
  job.demand.min_yield = kFullYield;
  return job;
}

TEST(Hybrid, a_job_with_devices_takes_its_cpu_from_those_that_share) {
  GpuCluster cluster;
  cluster.view.now = kTick;
  cluster.node(4, 1);
  const JobId cpu_only = cluster.runs({0}, 4, 16).id;
  const JobId gpu = wants_gpu(cluster, 3, 1).id;
  const Plan plan = cluster.decide(kHybrid);
  ASSERT_TRUE(check_plan(cluster.view, plan).empty());
  const Change* placed = change_of(plan, gpu);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->yield, kFullYield);
  EXPECT_EQ(placed->devices, (std::vector<DeviceSet>{1}));
  const Change* slowed = change_of(plan, cpu_only);
  ASSERT_TRUE(slowed);
  EXPECT_EQ(slowed->placement, (Placement{{{0}, 1}}));
  EXPECT_EQ(slowed->yield, Yield{250'000});  // one core of four
}

TEST(Hybrid, memory_that_is_held_is_not_taken_between_ticks_and_is_at_a_tick) {
  GpuCluster cluster;
  cluster.view.now = kTick;
  cluster.node(4, 1).node(4, 0);
  const JobId cpu_only = cluster.runs({0}, 2, 200).id;
  const JobId gpu = wants_gpu(cluster, 3, 1).id;  // 192 MiB of 256
  EXPECT_EQ(change_of(cluster.decide(kHybrid), gpu), nullptr);
  cluster.view.cause.tick = true;
  const Plan plan = cluster.decide(kHybrid);
  ASSERT_TRUE(check_plan(cluster.view, plan).empty());
  ASSERT_TRUE(change_of(plan, gpu));
  ASSERT_TRUE(change_of(plan, cpu_only));
  EXPECT_EQ(change_of(plan, cpu_only)->placement, (Placement{{{1}, 1}}));
}

TEST(Hybrid, what_holds_a_device_stays_where_it_is_at_every_tick) {
  GpuCluster cluster;
  cluster.node(4, 1).node(4, 1);
  Job& holder = cluster.holds({0}, 2, whole(1), 1);
  holder.demand.min_yield = kFullYield;
  const JobId id = holder.id;
  for (int i = 0; i < 3; ++i) cluster.asks(1, 2);  // 128 MiB each: as many as fit
  cluster.view.cause.tick = true;
  const Plan plan = cluster.decide(kHybrid);
  ASSERT_TRUE(check_plan(cluster.view, plan).empty());
  EXPECT_EQ(change_of(plan, id), nullptr);
  EXPECT_EQ(plan.changes.size(), 3U);
}

TEST(Hybrid, the_first_wakes_up_for_its_own_interval_while_somebody_waits_for_it) {
  GpuCluster cluster;
  cluster.node(4, 1);
  cluster.view.now = Instant{} + Duration{1'000'500'000};
  const JobId waits = wants_gpu(cluster, 2, 1).id;
  const Plan plan = cluster.decide(kHybrid);
  EXPECT_EQ(change_of(plan, waits), nullptr);  // IPSCHED starts jobs every 3 s only
  EXPECT_EQ(plan.wake_at, kTick);
  cluster.view.now = kTick + Duration{3'217};  // as a live clock has it
  cluster.view.cause = {};
  cluster.view.cause.woken = true;
  const Plan woken = cluster.decide(kHybrid);
  EXPECT_TRUE(change_of(woken, waits));
}

TEST(Hybrid, both_parts_remember) {
  GpuCluster cluster;
  cluster.node(4, 1);
  const JobId cpu_only = cluster.asks(1, 1).id;
  const Plan plan = cluster.decide("HYBRID(IPSCHED,ALIQUOT)");
  EXPECT_TRUE(change_of(plan, cpu_only));
  const auto* const state = plan.memory.state_as<HybridState>();
  ASSERT_TRUE(state);
  EXPECT_FALSE(state->places());
  ASSERT_TRUE(dynamic_cast<const AliquotState*>(state->shares().get()));
  EXPECT_GT(dynamic_cast<const AliquotState*>(state->shares().get())->tokens, 0);  // of the bucket
  const auto again = decode_policy_state(state->encode());
  ASSERT_TRUE(dynamic_cast<const HybridState*>(again.get()));
  EXPECT_EQ(again->encode(), state->encode());
}

TEST(Hybrid, the_state_of_an_older_store_is_that_of_the_first) {
  const auto halved = decode_policy_state("window=100");
  const HybridState both(halved, nullptr);
  EXPECT_EQ(both.encode(), "hybrid 10 window=100");
  EXPECT_EQ(decode_policy_state(both.encode())->encode(), both.encode());
  for (const char* broken : {"hybrid ", "hybrid x y", "hybrid 99 window=100", "hybrid 10"})
    EXPECT_FALSE(dynamic_cast<const HybridState*>(decode_policy_state(broken).get())) << broken;
  GpuCluster cluster;
  cluster.node(4, 1);
  cluster.view.memory.state = halved;  // kept between two intervals
  const Plan plan = cluster.decide("HYBRID(IPSCHED/paper,GREEDY)");
  ASSERT_TRUE(plan.memory.state);
  EXPECT_EQ(plan.memory.state->encode(), both.encode());
}

TEST(Hybrid, both_parts_explain_their_own_jobs) {
  GpuCluster cluster;
  cluster.node(4, 1);
  cluster.holds({0}, 1, whole(1), 1);
  const JobId gpu = wants_gpu(cluster, 1, 1).id;
  const JobId cpu_only = cluster.asks(1, 1).id;
  const auto policy = *make_policy(kHybrid);
  EXPECT_EQ(policy->explain(cluster.view, gpu).reason, Reason::devices);
  EXPECT_NE(policy->explain(cluster.view, cpu_only).reason, Reason::other_policy);
}

TEST(Hybrid, names_are_read_and_written) {
  EXPECT_EQ((*make_policy(" HYBRID( FGD-FILL , GREEDY-PMTN ) "))->name(), "HYBRID(FGD-FILL,GREEDY-PMTN)");
  EXPECT_EQ((*make_policy(kHybrid))->period(), seconds(600));
  EXPECT_EQ(*with_period(kHybrid, seconds(60)), "HYBRID(IPSCHED,DYNMCB8-ASAP-PER-60+match)");
  for (const auto& [name, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"HYBRID", "write HYBRID(P,Q)"},
           {"HYBRID(IPSCHED)", "two policies stand in the brackets"},
           {"HYBRID(EASY,GREEDY)", "places no devices"},
           {"HYBRID(IPSCHED,NOPE)", "NOPE"},
           {"HYBRID(IPSCHED,HYBRID(IPSCHED,EASY))", "cannot be parts of a HYBRID"}}) {
    const auto policy = make_policy(name);
    ASSERT_FALSE(policy) << name;
    EXPECT_NE(policy.error().message.find(why), std::string::npos) << policy.error().message;
  }
}

}  // namespace
}  // namespace aliquot
