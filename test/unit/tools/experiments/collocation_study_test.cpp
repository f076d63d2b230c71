// `evaluate collocation`: its clusters and traces, its report, and what it is to show.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tools/experiments/collocation/collocation_report.hpp"
#include "tools/experiments/collocation/mixed_trace.hpp"

namespace aliquot::collocation {
namespace {

std::string why(const std::string& mix) {
  const auto read = parse_mix(mix);
  return read ? "read" : read.error().message;
}

std::map<std::string, std::uint32_t> counts(const std::string& mix, std::uint32_t nodes) {
  std::map<std::string, std::uint32_t> counts;
  const ClusterShape shape = mixed_cluster(parse_mix(mix).value(), nodes).value();
  for (const NodeKind& kind : shape.kinds) counts[kind.name] = kind.count;
  return counts;
}

TEST(MixedCluster, classes_are_mixed_at_their_ratio) {
  using Counts = std::map<std::string, std::uint32_t>;
  EXPECT_EQ(counts("cpu:2,M2090:3,C2070:2,memory:1", 32),
            (Counts{{"cpu", 8}, {"M2090", 12}, {"C2070", 8}, {"memory", 4}}));
  EXPECT_EQ(counts("cpu:1,T4:1,V100:1", 10), (Counts{{"cpu", 4}, {"T4", 3}, {"V100", 3}}));
  const ClusterShape shape = mixed_cluster(parse_mix("memory:1,T4:1,cpu:1").value(), 3).value();
  EXPECT_EQ(shape.kinds[shape.reference].name, "cpu");
  EXPECT_EQ(shape.kinds[0].memory, kMuchMemory);
  EXPECT_EQ(shape.make_nodes()[1].devices.size(), kGpusPerNode);
  EXPECT_FALSE(mixed_cluster(parse_mix("cpu:9,T4:1").value(), 4));
}

TEST(MixedCluster, what_is_no_mix_is_told) {
  EXPECT_EQ(text_of(parse_mix("cpu:2,T4:1").value()), "cpu:2,T4:1");
  for (const char* bad :
       {"", "cpu", "cpu:0,T4:1", "cpu:1,:2", "cpu:1,T|4:1", "cpu:1,T4:1,", "cpu:1,T4:1001"})
    EXPECT_NE(why(bad).find("is not CLASS:WEIGHT"), std::string::npos) << bad << ": " << why(bad);
  EXPECT_NE(why("cpu:1,T4:1,T4:2").find("named twice"), std::string::npos);
  EXPECT_NE(why("T4:1").find("without GPUs"), std::string::npos);
  EXPECT_NE(why("cpu:1,memory:1").find("with GPUs"), std::string::npos);
}

TEST(MixedTrace, both_kinds_of_jobs_have_their_load) {
  const ClusterShape shape = mixed_cluster(parse_mix("cpu:2,T4:3,V100:2,memory:1").value(), 32).value();
  const double day = 86'400;
  const Workload made = mixed_workload({7, 0.5, seconds(10 * 86'400)}, shape);
  double of_gpu_nodes = 0, of_cores = 0, left = 32 * kCores * 10 * day;
  std::size_t several = 0, gpu_jobs = 0;
  for (const WorkloadJob& job : made.jobs) {
    const Demand& demand = job.submission.demand;
    const double nodes = to_seconds(job.runtime()) * demand.tasks;
    const double work = nodes * static_cast<double>(demand.need.raw) / kMillion;
    EXPECT_GE(*demand.estimate, job.runtime());
    if (!demand.devices.any()) {
      of_cores += work;
      continue;
    }
    of_gpu_nodes += nodes;
    left -= work;
    ++gpu_jobs;
    several += std::distance(demand.devices.models.begin(), demand.devices.models.end()) == 2 ? 1 : 0;
  }
  EXPECT_NEAR(of_gpu_nodes / (20 * 10 * day), 0.5, 0.01);
  EXPECT_NEAR(of_cores / left, 0.5, 0.01);
  EXPECT_NEAR(static_cast<double>(several) / static_cast<double>(gpu_jobs), 0.25, 0.05);
  EXPECT_TRUE(std::ranges::is_sorted(made.jobs, {}, &WorkloadJob::submitted));
}

TEST(MixedTrace, a_seed_gives_a_trace_and_another_seed_another) {
  const ClusterShape shape = mixed_cluster(parse_mix("cpu:1,T4:1").value(), 8).value();
  const auto jobs = [&](std::uint32_t seed) {
    std::vector<std::pair<Instant, Demand>> all;
    const Workload made = mixed_workload({seed, 0.5, seconds(86'400)}, shape);
    for (const WorkloadJob& job : made.jobs) all.emplace_back(job.submitted, job.submission.demand);
    return all;
  };
  EXPECT_EQ(jobs(1), jobs(1));
  EXPECT_NE(jobs(1), jobs(2));
}

CollocationOptions small() {
  CollocationOptions options;
  options.mix = parse_mix("cpu:2,T4:3,V100:2,memory:1").value();
  options.nodes = 16;
  options.loads = {0.5};
  options.seeds = 2;
  options.time = seconds(43'200);
  return options;
}

TEST(CollocationStudy, the_number_of_workers_changes_nothing) {
  CollocationOptions options = small();
  options.seeds = 1;
  const auto one = collocation_files(collocation_study(options, 1).value());
  const auto three = collocation_files(collocation_study(options, 3).value());
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_EQ(one[k].text, three[k].text) << one[k].name;
}

const CollocationRun& run_of(const CollocationOutcome& outcome, std::string_view policy) {
  const auto rule = std::ranges::find(kRules, policy, &StudyRule::policy);
  return outcome.runs.at(static_cast<std::size_t>(rule - kRules.begin()));
}

// A GPU job that is guaranteed its full yield is as fast as alone; one on a node with more load than
// capacity is not, and is the slower the more load there may be.
TEST(CollocationStudy,
     gpu_jobs_are_slowed_only_where_they_have_no_guarantee_and_the_load_exceeds_the_node) {
  const CollocationStudy study = collocation_study(small(), 2).value();
  for (const CollocationOutcome& outcome : study.outcomes) {
    for (const char* policy :
         {"CAPE-RM:jobs=0", "CAPE-RM", "HYBRID(IPSCHED,ALIQUOT)", "COLLOCATE(IPSCHED,ALIQUOT)"})
      EXPECT_EQ(run_of(outcome, policy).slowdown_worst, 0) << policy;
    EXPECT_GT(run_of(outcome, "CAPE-RM:load=150").slowdown_mean, 0);
    EXPECT_GT(run_of(outcome, "CAPE-RM:load=300").slowdown_mean,
              run_of(outcome, "CAPE-RM:load=150").slowdown_mean);
    EXPECT_LE(run_of(outcome, "CAPE-RM:load=150").slowdown_worst, 0.5 + 1e-3);  // 1 / (1 / 1.5) - 1
  }
}

TEST(CollocationStudy, a_smaller_guarantee_bounds_the_slowdown) {
  CollocationOptions options = small();
  options.guarantee = Yield{800'000};
  const CollocationStudy study = collocation_study(options, 2).value();
  for (const CollocationOutcome& outcome : study.outcomes)
    EXPECT_LE(run_of(outcome, "COLLOCATE(IPSCHED,ALIQUOT)").slowdown_worst, 0.25 + 1e-6);
}

// What docs/collocation.md says: CPU-only jobs gain, and more than by bounds.
TEST(CollocationStudy, cpu_only_jobs_gain_by_collocation) {
  double apart = 0, bounded = 0, ours = 0;
  const CollocationStudy study = collocation_study(small(), 2).value();
  for (const CollocationOutcome& outcome : study.outcomes) {
    apart += run_of(outcome, "CAPE-RM:jobs=0").cpu_mean;
    bounded += run_of(outcome, "CAPE-RM").cpu_mean;
    ours += run_of(outcome, "COLLOCATE(IPSCHED,ALIQUOT)").cpu_mean;
  }
  EXPECT_LT(bounded, apart);
  EXPECT_LT(ours, bounded);
}

}  // namespace
}  // namespace aliquot::collocation
