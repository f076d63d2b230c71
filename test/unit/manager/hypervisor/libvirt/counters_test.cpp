// CPU counters: what control groups say.
#include <gtest/gtest.h>

#include "manager/hypervisor/libvirt/vcpu_counters.hpp"

namespace aliquot {
namespace {

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
