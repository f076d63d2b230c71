#include "manager/hypervisor/libvirt/caps.hpp"

#include <gtest/gtest.h>

#include "monitor/record/submission.hpp"

namespace aliquot {
namespace {

constexpr Duration kPeriod{100'000};

CpuCap cap(Cpu need, Yield yield, std::int64_t speed = kMillion, std::uint32_t vcpus = 1,
           Duration period = kPeriod) {
  const auto found = cpu_cap(need, yield, speed, vcpus, period);
  EXPECT_TRUE(found) << (found ? "" : found.error().message);
  return found.value_or(CpuCap{});
}

std::uint32_t vcpus_for(Cpu need, std::optional<Cpu> most = {}) {
  Submission job;
  job.demand.need = need;
  job.max_need = most;
  return vcpus_of(job);
}

TEST(Vcpus, are_as_many_as_the_need_takes_and_at_least_one) {
  EXPECT_EQ(vcpus_for({0}), 1U);
  EXPECT_EQ(vcpus_for({1}), 1U);
  EXPECT_EQ(vcpus_for(cores(1)), 1U);
  EXPECT_EQ(vcpus_for({1'000'001}), 2U);
  EXPECT_EQ(vcpus_for({2'500'000}), 3U);
  EXPECT_EQ(vcpus_for(cores(64)), 64U);
}

TEST(Vcpus, are_enough_for_what_the_need_may_grow_to) {
  EXPECT_EQ(vcpus_for({500'000}, Cpu{2'500'000}), 3U);
  EXPECT_EQ(vcpus_for(cores(2), cores(2)), 2U);
}

TEST(CpuCap, is_need_times_yield_for_each_vcpu) {
  EXPECT_EQ(cap(cores(1), kFullYield), (CpuCap{kPeriod, {100'000}}));
  EXPECT_EQ(cap(cores(1), {250'000}), (CpuCap{kPeriod, {25'000}}));
  EXPECT_EQ(cap({300'000}, kFullYield), (CpuCap{kPeriod, {30'000}})) << "full yield is capped at the need";
  EXPECT_EQ(cap({1'500'000}, kFullYield, kMillion, 2), (CpuCap{kPeriod, {75'000}}));
  EXPECT_EQ(cap(cores(2), {500'000}, kMillion, 2), (CpuCap{kPeriod, {50'000}}));
}

TEST(CpuCap, is_less_on_faster_cores_and_more_on_slower_ones) {
  EXPECT_EQ(cap(cores(1), kFullYield, 2 * kMillion), (CpuCap{kPeriod, {50'000}}));
  EXPECT_EQ(cap(cores(1), kFullYield, kMillion / 2), (CpuCap{kPeriod, {200'000}}));
}

TEST(CpuCap, is_rounded_down) {
  EXPECT_EQ(cap(cores(1), {333'333}).quota, Duration{33'333});
  EXPECT_EQ(cap(cores(1), {999'999}).quota, Duration{99'999});
  EXPECT_EQ(cap(cores(1), kFullYield, 3 * kMillion).quota, Duration{33'333});
}

TEST(CpuCap, of_very_little_lengthens_the_period_rather_than_the_share) {
  EXPECT_EQ(cap(cores(1), {10'000}), (CpuCap{kPeriod, {1'000}}));
  EXPECT_EQ(cap(cores(1), {5'000}), (CpuCap{{200'000}, {1'000}}));
  EXPECT_EQ(cap(cores(1), {1'000}), (CpuCap{{1'000'000}, {1'000}}));
  EXPECT_EQ(cap(cores(1), {1}), (CpuCap{{1'000'000}, {1'000}})) << "the least there is";
}

TEST(CpuCap, is_always_one_that_the_kernel_takes) {
  for (const std::int64_t need : {1, 10, 999, 50'000, 1'000'000, 1'000'001, 64'000'000}) {
    for (const std::int64_t yield : {1, 77, 1'000, 9'999, 10'000, 500'000, 1'000'000}) {
      for (const std::int64_t speed : {1, 250'000, 1'000'000, 1'700'000, 10'000'000}) {
        for (const std::int64_t period : {0, 1'000, 10'000, 100'000, 1'000'000, 9'000'000}) {
          const auto found = cpu_cap({need}, {yield}, speed, vcpus_for({need}), {period});
          if (!found) {
            EXPECT_EQ((Cpu{need} * Yield{yield}).raw, 0);
            continue;
          }
          EXPECT_GE(found->quota, kShortestQuota);
          EXPECT_GE(found->period, kShortestCapPeriod);
          EXPECT_LE(found->period, kLongestCapPeriod);
        }
      }
    }
  }
}

TEST(CpuCap, of_nothing_is_refused_because_it_would_mean_no_limit) {
  EXPECT_FALSE(cpu_cap(cores(1), {0}, kMillion, 1, kPeriod));
  EXPECT_FALSE(cpu_cap({0}, kFullYield, kMillion, 1, kPeriod));
  EXPECT_FALSE(cpu_cap(cores(1), {-5}, kMillion, 1, kPeriod));
  EXPECT_FALSE(cpu_cap(cores(1), kFullYield, 0, 1, kPeriod));
  EXPECT_FALSE(cpu_cap(cores(1), kFullYield, kMillion, 0, kPeriod));
}

TEST(EmulatorCap, is_one_core_whatever_the_yield) {
  EXPECT_EQ(emulator_cap(kPeriod), (CpuCap{kPeriod, kPeriod}));
  EXPECT_EQ(emulator_cap({0}), (CpuCap{{1'000}, {1'000}}));
  EXPECT_EQ(emulator_cap(seconds(5)), (CpuCap{{1'000'000}, {1'000'000}}));
}

TEST(RescaledCap, is_the_same_share_of_a_reference_core) {
  const CpuCap slow{kPeriod, {50'000}};
  EXPECT_EQ(rescaled(slow, kMillion, 2 * kMillion), (CpuCap{kPeriod, {25'000}}));
  EXPECT_EQ(rescaled(slow, 2 * kMillion, kMillion), (CpuCap{kPeriod, {100'000}}));
  EXPECT_EQ(rescaled({kPeriod, {1'000}}, kMillion, 4 * kMillion), (CpuCap{{400'000}, {1'000}}));
}

}  // namespace
}  // namespace aliquot
