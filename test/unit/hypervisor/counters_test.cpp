// CPU counters: their sum over restarts, and what control groups say.
#include <gtest/gtest.h>

#include "manager/hypervisor/cpu_account.hpp"
#include "manager/hypervisor/throttling.hpp"

namespace aliquot {
namespace {

CpuReading reading(std::int64_t cpu, std::int64_t delay = 0, std::int64_t throttled = 0) {
  return {{cpu}, {delay}, {throttled}};
}

TEST(CpuAccount, adds_up_over_the_starts_of_qemu) {
  CpuAccount account;
  EXPECT_EQ(account.add({{0}, 1}, reading(10, 1, 2)), reading(10, 1, 2));
  EXPECT_EQ(account.add({{0}, 1}, reading(30, 2, 3)), reading(30, 2, 3));
  EXPECT_EQ(account.add({{0}, 2}, reading(5, 1, 1)), reading(35, 3, 4)) << "restored on the same node";
  EXPECT_EQ(account.add({{1}, 2}, reading(7, 0, 0)), reading(42, 3, 4)) << "migrated";
  EXPECT_EQ(account.add({{1}, 2}, reading(50, 0, 0)), reading(85, 3, 4)) << "more than before the move";
}

TEST(CpuAccount, never_falls) {
  CpuAccount account;
  (void)account.add({{0}, 1}, reading(10, 5, 5));
  EXPECT_EQ(account.add({{0}, 1}, reading(0, 6, 0)), reading(10, 6, 5));
}

TEST(CpuGroup, is_found_in_either_version) {
  EXPECT_EQ(cpu_group("12:pids:/a\n1:cpu:/machine/vcpu0\n0::/\n"), (CpuGroup{"cpu", "/machine/vcpu0"}));
  EXPECT_EQ(cpu_group("4:cpu,cpuacct:/m\n"), (CpuGroup{"cpu,cpuacct", "/m"}));
  EXPECT_EQ(cpu_group("4:cpuacct,cpu:/m"), (CpuGroup{"cpuacct,cpu", "/m"}));
  EXPECT_EQ(cpu_group("3:cpuset:/x\n0::/machine.slice/vcpu0\n"), (CpuGroup{"", "/machine.slice/vcpu0"}));
  EXPECT_FALSE(cpu_group(""));
  EXPECT_FALSE(cpu_group("nonsense\n:\n3:cpuset:/x\n"));
}

TEST(ThrottledTime, is_read_in_either_versions_unit) {
  EXPECT_EQ(throttled_time("nr_periods 9\nnr_throttled 8\nthrottled_time 5000000\n"), Duration{5000});
  EXPECT_EQ(throttled_time("usage_usec 7\nnr_throttled 8\nthrottled_usec 5000\n"), Duration{5000});
  EXPECT_FALSE(throttled_time("usage_usec 7\n"));
  EXPECT_FALSE(throttled_time(""));
  EXPECT_FALSE(throttled_time("throttled_time"));
  EXPECT_FALSE(throttled_time("throttled_time -5\n"));
}

}  // namespace
}  // namespace aliquot
