// BACKFILL in a small world: in order, behind the first what delays no job, nodes shared.
#include <gtest/gtest.h>

#include "policies/policy.hpp"
#include "test/support/toy_cluster.hpp"

namespace aliquot {
namespace {

using test::ToyCluster;
using test::ToyJob;
using test::ToyResult;

std::vector<Node> machine(std::uint32_t count) {
  std::vector<Node> nodes(count);
  for (std::uint32_t n = 0; n < count; ++n) {
    nodes[n].id = {n};
    nodes[n].name = "n" + std::to_string(n);
    nodes[n].capacity = cores(8);
    nodes[n].cores = 8;
    nodes[n].memory = mebibytes(16'384);
    nodes[n].devices.assign(2, {DeviceModel{0}});
  }
  return nodes;
}

ToyJob job(std::uint64_t id, std::uint32_t tasks, std::int64_t runtime_s, std::uint16_t gpus = 0) {
  Demand demand;
  demand.tasks = tasks;
  demand.need = cores(1);
  demand.memory = mebibytes(512);
  demand.estimate = seconds(runtime_s);
  if (gpus > 0) {
    demand.devices.per_node = gpus;
    demand.min_yield = kFullYield;
    demand.movable = false;
  }
  return {{id}, {seconds(static_cast<std::int64_t>(id)).raw}, demand, seconds(runtime_s)};
}

double start_of(const ToyResult& result, std::uint64_t id) {
  return to_seconds(result.start.at({id}) - Instant{});
}

ToyResult run(const std::vector<ToyJob>& jobs, const std::string& policy = "BACKFILL") {
  ToyResult result = ToyCluster(machine(2), jobs, {}).run(policy);
  EXPECT_EQ("", result.complaint);
  return result;
}

TEST(Backfill, jobs_share_nodes) {
  const ToyResult result = run({job(1, 4, 100), job(2, 4, 100), job(3, 8, 100)});
  EXPECT_EQ(3, start_of(result, 3));
}

TEST(Backfill, a_short_job_goes_ahead_of_one_that_waits_and_does_not_delay_it) {
  // The second wants everything: at 101 s. The third would end before that, the fourth would not.
  const ToyResult result = run({job(1, 8, 100), job(2, 16, 50), job(3, 8, 60), job(4, 8, 200)});
  EXPECT_EQ(30, start_of(result, 3));  // the first interval
  EXPECT_EQ(101, start_of(result, 2));
  EXPECT_EQ(151, start_of(result, 4));
}

TEST(Backfill, between_two_intervals_only_the_first_in_the_queue_start) {
  const ToyResult result = run({job(1, 8, 20), job(2, 16, 50), job(3, 8, 5)});
  EXPECT_EQ(21, start_of(result, 2));
  EXPECT_EQ(71, start_of(result, 3));
}

TEST(Backfill, reservations_count_devices) {
  // GPUs of both nodes are held until 101 s; cores are left over.
  const ToyResult result = run({job(1, 16, 100, 2), job(2, 4, 50, 1), job(3, 2, 300)});
  EXPECT_EQ(101, start_of(result, 2));
  EXPECT_EQ(101, start_of(result, 3));
}

TEST(Backfill, who_would_end_too_late_waits_behind_the_reservation) {
  ToyCluster cluster(machine(2), {job(1, 8, 100), job(2, 16, 50), job(3, 8, 200)}, {});
  const ToyResult result = cluster.run("BACKFILL");
  EXPECT_EQ(151, start_of(result, 3));
}

TEST(Backfill, larger_jobs_go_first_with_multifactor_priorities) {
  const std::vector<ToyJob> jobs = {job(1, 16, 100), job(2, 4, 100), job(3, 16, 100)};
  EXPECT_EQ(101, start_of(run(jobs), 2));
  EXPECT_EQ(101, start_of(run(jobs, "BACKFILL/priority=multifactor"), 3));
  EXPECT_EQ(101, start_of(run(jobs, "BACKFILL/priority=multifactor/size=0"), 2));
}

TEST(Backfill, is_named_as_it_is_written) {
  for (const char* name :
       {"BACKFILL", "BACKFILL/interval=60/window=10", "BACKFILL/priority=multifactor/size=0"}) {
    const auto made = make_policy(name);
    ASSERT_TRUE(made) << name;
    EXPECT_EQ(name, (*made)->name());
  }
  EXPECT_EQ("BACKFILL", (*make_policy("BACKFILL/interval=30/window=50"))->name());
  for (const char* name : {"BACKFILL/objective=pr", "BACKFILL/effort=5000", "BACKFILL/paper",
                           "BACKFILL/MAXBIDS=3", "BACKFILL/size=3", "BACKFIL"}) {
    EXPECT_FALSE(make_policy(name)) << name;
  }
}

}  // namespace
}  // namespace aliquot
