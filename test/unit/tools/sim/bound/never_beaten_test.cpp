// The law of the bound: no schedule of any policy beats it. On random small workloads, equal and unlike
// nodes, with and without a penalty; on the example trace; on Lublin traces.
#include <gtest/gtest.h>

#include "policies/policy.hpp"
#include "test/support/policy_specs.hpp"
#include "test/support/random_view.hpp"
#include "test/support/toy_cluster.hpp"
#include "tools/sim/bound/lower_bound.hpp"
#include "tools/sim/generate/dfrs_workload.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {
namespace {

using test::Dice;
using test::ToyCluster;
using test::ToyJob;
using test::ToyResult;

std::vector<std::string> specs(const std::string& period) {
  std::vector<std::string> specs = test::policy_specs(period);
  std::erase_if(specs, [](const std::string& spec) { return !make_policy(spec); });
  return specs;
}

double as_double(const LowerBound& bound) { return static_cast<double>(bound.stretch.nano) / 1e9; }

std::vector<Node> random_nodes(Dice& dice) {
  std::vector<Node> nodes(static_cast<std::size_t>(dice.between(1, 5)));
  const bool unlike = dice.chance(40);
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    nodes[n].id = {n};
    nodes[n].capacity = cores(unlike ? dice.between(1, 4) : 2);
    nodes[n].memory = Memory{unlike ? dice.between(50, 100) : 100};
  }
  return nodes;
}

// Heavy enough that the jobs are in each other's way.
std::vector<ToyJob> random_jobs(Dice& dice, const std::vector<Node>& nodes) {
  std::vector<ToyJob> jobs;
  const std::int64_t gap = dice.between(0, 60);
  const bool odd = dice.chance(50);  // needs whose caps are rounded
  std::int64_t submit = 0;
  const auto count = static_cast<std::uint64_t>(dice.between(2, dice.chance(50) ? 4 : 30));
  for (std::uint64_t id = 1; id <= count; ++id) {
    submit += dice.between(0, gap) * kMillion;
    ToyJob job{{id}, {submit}, {}, Duration{dice.between(1, 300'000'000)}};
    job.demand.tasks = static_cast<std::uint32_t>(dice.between(1, static_cast<std::int64_t>(nodes.size())));
    job.demand.need = odd ? Cpu{dice.between(1, 1'000'000)} : cores(1);
    job.demand.memory = Memory{dice.between(1, 50)};
    jobs.push_back(job);
  }
  return jobs;
}

BoundInstance instance_of(const std::vector<ToyJob>& toys, const std::vector<Node>& nodes) {
  std::vector<WorkloadJob> jobs;
  for (const ToyJob& toy : toys) {
    WorkloadJob job;
    job.id = toy.id;
    job.submitted = toy.submit;
    job.submission.demand = toy.demand;
    job.submission.alone = toy.alone;
    jobs.push_back(job);
  }
  return make_instance(jobs, nodes);
}

TEST(NeverBeaten, ByAnyPolicyOnRandomWorkloads) {
  double tightest = 1e9;
  std::uint64_t above_one = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Dice dice(seed);
    const auto nodes = random_nodes(dice);
    const auto jobs = random_jobs(dice, nodes);
    const double bound = as_double(lower_bound(instance_of(jobs, nodes)));
    above_one += bound > 1;
    const Duration penalty = dice.chance(70) ? Duration{} : seconds(dice.between(1, 20));
    for (const std::string& spec : specs("60")) {
      const ToyResult result = ToyCluster(nodes, jobs, penalty).run(spec, 20'000);
      ASSERT_EQ("", result.complaint) << spec << ", seed " << seed;
      double worst = 1;
      for (const ToyJob& job : jobs) {
        const double turnaround = to_seconds(result.end.at(job.id) - job.submit);
        worst = std::max(worst, turnaround / std::max(30.0, to_seconds(job.alone)));
      }
      ASSERT_GE(worst, bound) << spec << ", seed " << seed;
      if (bound > 1) tightest = std::min(tightest, worst / bound);
    }
  }
  // The law says little if the bound is 1: most of these workloads are crowded, and some schedule is close.
  EXPECT_GT(above_one, 100U);
  EXPECT_LT(tightest, 1.05);
}

void expect_never_beaten(const Workload& workload, const ClusterShape& shape,
                         std::initializer_list<Duration> penalties) {
  const double bound = as_double(lower_bound(make_instance(workload.jobs, shape.make_nodes())));
  EXPECT_GT(bound, 1);
  for (const std::string& spec : specs("600")) {
    for (const Duration penalty : penalties) {
      ModelOptions model;
      model.penalty = penalty;
      Collector collected;
      Simulation simulation(workload, shape, model, std::move(*make_policy(spec)), collected);
      ASSERT_TRUE(simulation.run()) << spec;
      const auto rows = make_rows(workload, collected);
      EXPECT_GE(summarize(workload, shape, rows, collected).max_bounded_stretch, bound) << spec;
    }
  }
}

TEST(NeverBeaten, ByAnyPolicyOnTheExample) {
  ReadOptions read;
  read.shape.nodes = 16;
  const auto workload = read_workload("tools/sim/examples/small.csv", read);
  ASSERT_TRUE(workload) << workload.error().message;
  expect_never_beaten(*workload, read.shape, {Duration{}, seconds(300)});
}

TEST(NeverBeaten, ByAnyPolicyOnLublinTraces) {
  for (const auto& [seed, load] : {std::pair(1U, 0.4), std::pair(2U, 0.9)}) {
    const auto workload = dfrs_workload({seed, load, 120, 128});
    ASSERT_TRUE(workload) << workload.error().message;
    ClusterShape shape;
    shape.nodes = 128;
    expect_never_beaten(*workload, shape, {Duration{}});  // a penalty only makes schedules worse
  }
}

}  // namespace
}  // namespace aliquot
