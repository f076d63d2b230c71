// The workloads of the placement papers: how many jobs, how large, when.
#include "tools/sim/generate/esp.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tools/sim/generate/gpu_jobs.hpp"
#include "tools/sim/generate/gpu_mix.hpp"

namespace aliquot {
namespace {

std::map<std::string, int> count_by_type(const std::vector<GpuJob>& jobs) {
  std::map<std::string, int> counts;
  for (const GpuJob& job : jobs) ++counts[job.type];
  return counts;
}

TEST(Esp, doubled_has_458_jobs_and_an_ideal_makespan_of_21822_s) {
  const std::vector<GpuJob> jobs = esp_jobs({});
  EXPECT_EQ(458U, jobs.size());
  EXPECT_NEAR(21'822.68, esp_ideal_s(true), 0.01);
  EXPECT_EQ(21'822, ideal_makespan(jobs, {}).raw / kMillion);  // of whole nodes
  const auto counts = count_by_type(jobs);
  EXPECT_EQ(27U, counts.size());
  EXPECT_EQ(75, counts.at("A"));
  EXPECT_EQ(75, counts.at("A+2gpu"));
  EXPECT_EQ(2, counts.at("Z"));
}

TEST(Esp, plain_has_230_jobs_and_no_gpus) {
  const std::vector<GpuJob> jobs = esp_jobs({1, false});
  EXPECT_EQ(230U, jobs.size());
  EXPECT_NEAR(11'011.34, esp_ideal_s(false), 0.01);
  EXPECT_EQ(11'011, ideal_makespan(jobs, {}).raw / kMillion);
  for (const GpuJob& job : jobs) EXPECT_EQ(0U, job.gpus_per_node);
}

TEST(Esp, sizes_are_whole_nodes) {
  for (const GpuJob& job : esp_jobs({})) {
    EXPECT_EQ(0U, job.cores % 8) << job.type;
    if (job.type == "H") {
      EXPECT_EQ(1296U, job.cores);
    }
    if (job.type == "K+2gpu") {
      EXPECT_EQ(784U, job.cores);
    }
    EXPECT_EQ(job.type.ends_with("+2gpu") ? 2U : 0U, job.gpus_per_node);
  }
}

TEST(Esp, fifty_jobs_are_there_at_once_and_the_rest_come_every_30_s) {
  const std::vector<GpuJob> jobs = esp_jobs({7});
  double last_s = 0;
  int at_once = 0;
  std::set<std::string> first;
  std::vector<double> whole_s;
  for (const GpuJob& job : jobs) {
    const double at_s = to_seconds(job.submitted - Instant{});
    if (job.type == "Z") {
      whole_s.push_back(at_s);
      continue;
    }
    if (at_s == 0) first.insert(job.type);
    at_once += at_s == 0 ? 1 : 0;
    last_s = std::max(last_s, at_s);
  }
  EXPECT_EQ(50, at_once);
  EXPECT_GT(first.size(), 5U);  // of all sorts
  EXPECT_NEAR(30, last_s / 406, 1);
  EXPECT_EQ((std::vector<double>{4'800, 14'400}), whole_s);
}

TEST(Esp, varied_sizes_are_off_by_4_at_most_and_of_every_amount) {
  const std::vector<GpuJob> plain = esp_jobs({3});
  const std::vector<GpuJob> varied = esp_jobs({3, true, true});
  ASSERT_EQ(plain.size(), varied.size());
  std::set<int> off;
  for (std::size_t j = 0; j < plain.size(); ++j) {
    EXPECT_EQ(plain[j].submitted, varied[j].submitted);
    EXPECT_LE(varied[j].cores, MachineL{}.cores());
    off.insert(static_cast<int>(varied[j].cores) - static_cast<int>(plain[j].cores));
  }
  EXPECT_EQ((std::set<int>{-4, -3, -2, -1, 0, 1, 2, 3, 4}), off);
}

TEST(Esp, is_the_same_for_the_same_seed_only) {
  const Workload once = workload_of(esp_jobs({5}), {});
  const Workload again = workload_of(esp_jobs({5}), {});
  const Workload other = workload_of(esp_jobs({6}), {});
  bool differs = false;
  for (std::size_t j = 0; j < once.jobs.size(); ++j) {
    EXPECT_EQ(once.jobs[j].submitted, again.jobs[j].submitted);
    EXPECT_EQ(once.jobs[j].submission, again.jobs[j].submission);
    differs = differs || once.jobs[j].submission != other.jobs[j].submission;
  }
  EXPECT_TRUE(differs);
}

TEST(Esp, as_a_workload_asks_for_what_the_paper_asks_for) {
  const Workload workload = workload_of(esp_jobs({}), {});
  for (const WorkloadJob& job : workload.jobs) {
    const Demand& demand = job.submission.demand;
    EXPECT_EQ(cores(1), demand.need);
    EXPECT_FALSE(demand.spread.any());
    EXPECT_EQ(demand.movable, !demand.devices.any());
    EXPECT_TRUE(MachineL{}.shape().holds(demand));
  }
}

TEST(GpuMix, has_the_shares_of_table_12) {
  const std::map<GpuMix, std::map<std::string, double>> shares = {
      {GpuMix::I, {{"cores", 1}}},
      {GpuMix::II, {{"nodes", 1}}},
      {GpuMix::III, {{"cores", 0.5}, {"nodes", 0.5}}},
      {GpuMix::IV, {{"cores", 0.4}, {"nodes", 0.4}, {"1gpu", 0.2}}},
      {GpuMix::V, {{"cores", 1 / 3.0}, {"nodes", 1 / 3.0}, {"1gpu", 1 / 6.0}, {"2gpu", 1 / 6.0}}}};
  for (const auto& [mix, wanted] : shares) {
    GpuMixOptions options;
    options.mix = mix;
    options.ideal_s = 100'000;
    const std::vector<GpuJob> jobs = gpu_mix_jobs(options);
    const auto counts = count_by_type(jobs);
    ASSERT_EQ(wanted.size(), counts.size()) << name_of(mix);
    const auto all = static_cast<double>(jobs.size());
    for (const auto& [type, share] : wanted)
      EXPECT_NEAR(share, counts.at(type) / all, 4 * std::sqrt(0.25 / all)) << name_of(mix) << type;
  }
}

TEST(GpuMix, jobs_are_as_the_paper_makes_them_and_fit) {
  GpuMixOptions options;
  options.ideal_s = 20'000;
  const std::vector<GpuJob> jobs = gpu_mix_jobs(options);
  EXPECT_NEAR(20'000, to_seconds(ideal_makespan(jobs, {})), 100);
  for (const GpuJob& job : jobs) {
    EXPECT_EQ(0U, job.cores % 8);
    EXPECT_GE(job.runtime, seconds(60));
    EXPECT_LE(job.runtime, seconds(600));
    const std::uint32_t each = job.cores_per_node;
    if (job.type == "nodes") {
      EXPECT_TRUE(each == 4 || each == 8);
    }
    if (job.type == "1gpu") {
      EXPECT_TRUE(each == 1 || each == 2);
    }
    if (job.type == "2gpu") {
      EXPECT_TRUE(each == 2 || each == 4);
    }
    if (each > 0) {
      EXPECT_LE(job.cores / each, 1024U);
    }
  }
}

TEST(Gaussian, has_mean_0_and_deviation_1) {
  const Chance chance(1);
  constexpr int n = 100'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = gaussian(chance, static_cast<std::uint64_t>(i), 5);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(0, sum / n, 0.013);
  EXPECT_NEAR(1, squares / n, 0.02);
}

}  // namespace
}  // namespace aliquot
