// How exactly a real hypervisor keeps a cap: CPU time over windows of 4 s. A window counts only if the CPU
// was to be had: on a machine that others load, a VM may get less than its cap, never more.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "test/integration/hypervisor_libvirt_nodes.hpp"

namespace aliquot {
namespace {

constexpr double kTolerance = 0.02;  // of a core
constexpr int kWindows = 3;          // to be valid, for each cap
constexpr int kInvalidAtMost = 2;    // then the CPU is not to be had just now

class LibvirtCaps : public HypervisorContract {};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TEST_P(LibvirtCaps, a_vm_gets_its_cap_and_never_more) {
  run(backend_->endless());
  int valid = 0;
  for (const std::int64_t percent : {10, 25, 50, 70}) {
    const double cap = static_cast<double>(percent) / 100;
    ASSERT_EQ(act(Cap{next(), Yield{percent * 10'000}}), kDone);
    backend_->let_pass({500'000});
    for (int good = 0, bad = 0; good < kWindows && bad < kInvalidAtMost;) {
      const double start = now();
      const Duration before = cpu_time(0);
      const std::int64_t work = progress();
      backend_->let_pass(seconds(4));
      const double span = now() - start;
      const double share = to_seconds(cpu_time(0) - before) / span;
      std::printf("cap %2lld %%: share %5.2f %%, %lld blocks\n", static_cast<long long>(percent),
                  100 * share, static_cast<long long>(progress() - work));
      EXPECT_LT(share, cap + kTolerance);
      const bool counts = share > cap - kTolerance;
      ++(counts ? good : bad);
      valid += counts ? 1 : 0;
    }
  }
  std::printf("windows within 2 points of the cap: %d\n", valid);
  if (valid < 4) GTEST_SKIP() << "the CPU was not to be had: others use this machine";
}

INSTANTIATE_TEST_SUITE_P(Libvirt, LibvirtCaps, testing::Values(BackendFactory(make_libvirt_backend)));

}  // namespace
}  // namespace aliquot
