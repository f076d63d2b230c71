// Counters of vCPU threads, read from a tree of files as the kernel has them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "manager/hypervisor/libvirt/vcpu_counters.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;
constexpr NodeId kNode{1};
constexpr NodeId kTarget{0};

class VcpuReaderTest : public testing::Test {
 protected:
  VcpuReaderTest() {
    std::string name = testing::TempDir() + "vcpu_reader-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    root_ = name;
  }
  ~VcpuReaderTest() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    const fs::path whole = root_ / path;
    fs::create_directories(whole.parent_path());
    std::ofstream(whole, std::ios::binary) << text;
  }
  void add_process(const std::string& pid, const Uuid& vm) const {
    write("proc/" + pid + "/cmdline", std::string("/usr/bin/qemu\0-uuid\0", 20) + to_string(vm) + '\0');
    add_thread(pid, "1", "worker", 9'000'000, 0, "emulator");
  }
  void add_thread(const std::string& pid, const std::string& tid, const std::string& name, std::int64_t ran,
                  std::int64_t waited, const std::string& group) const {
    const std::string thread = "proc/" + pid + "/task/" + tid;
    write(thread + "/comm", name + "\n");
    write(thread + "/schedstat", std::to_string(ran) + " " + std::to_string(waited) + " 7\n");
    write(thread + "/cgroup", "2:cpu:/" + pid + "/" + group + "\n0::/\n");
    write("groups/cpu/" + pid + "/" + group + "/cpu.stat", "nr_periods 1\nthrottled_time 3000\n");
  }
  [[nodiscard]] VcpuReader reader() const { return VcpuReader(root_ / "proc", root_ / "groups"); }

  fs::path root_;
  Uuid vm_{1, 2, 3};
  Uuid other_{4, 5, 6};
};

TEST_F(VcpuReaderTest, SumsTheThreadsThatAreVcpusOfItsVm) {
  add_process("10", other_);
  add_thread("10", "12", "CPU 0/KVM", 99'000, 99'000, "vcpu0");
  add_process("20", vm_);
  add_thread("20", "21", "CPU 0/KVM", 5'000, 2'000, "vcpu0");
  add_thread("20", "22", "CPU 1/KVM", 7'000, 1'000, "vcpu1");
  auto reader = this->reader();
  EXPECT_EQ(reader.read(kNode, vm_, 1), (VcpuCounters{2, Duration{12}, Duration{3}, Duration{6}}));
  write("proc/20/task/22/schedstat", "17000 1000 8\n");
  EXPECT_EQ(reader.read(kNode, vm_, 1)->cpu, Duration{22});
}

TEST_F(VcpuReaderTest, ThreadsThatAreNotInTheirGroupsYetAreLookedForAgain) {
  add_process("20", vm_);
  add_thread("20", "21", "CPU 0/TCG", 5'000, 2'000, "emulator");
  auto reader = this->reader();
  EXPECT_EQ(reader.read(kNode, vm_, 1)->vcpus, 1U);
  add_thread("20", "21", "CPU 0/TCG", 6'000, 2'000, "vcpu0");
  add_thread("20", "22", "CPU 1/TCG", 1'000, 2'000, "vcpu1");
  EXPECT_EQ(reader.read(kNode, vm_, 1)->vcpus, 2U);
  add_thread("20", "23", "CPU 2/TCG", 1'000, 2'000, "vcpu2");
  EXPECT_EQ(reader.read(kNode, vm_, 1)->vcpus, 2U) << "known now, and not looked for at each reading";
}

TEST_F(VcpuReaderTest, ARestartedVmIsReadFromItsNewProcess) {
  add_process("20", vm_);
  add_thread("20", "21", "CPU 0/KVM", 5'000, 0, "vcpu0");
  auto reader = this->reader();
  ASSERT_TRUE(reader.read(kNode, vm_, 1));
  fs::remove_all(root_ / "proc/20");
  EXPECT_FALSE(reader.read(kNode, vm_, 1)) << "its process has ended";
  add_process("30", vm_);
  add_thread("30", "31", "CPU 0/KVM", 1'000, 0, "vcpu0");
  EXPECT_EQ(reader.read(kNode, vm_, 2)->cpu, Duration{1});
}

TEST_F(VcpuReaderTest, AVmThatIsMovedBetweenNodesOfThisMachineHasTwoProcesses) {
  add_process("20", vm_);
  add_thread("20", "21", "CPU 0/KVM", 5'000, 0, "vcpu0");
  auto reader = this->reader();
  ASSERT_TRUE(reader.read(kNode, vm_, 1));
  add_process("30", vm_);
  add_thread("30", "31", "CPU 0/KVM", 1'000, 0, "vcpu0");
  EXPECT_EQ(reader.read(kTarget, vm_, 1)->cpu, Duration{1})
      << "the one that is not known of the other node";
  EXPECT_EQ(reader.read(kNode, vm_, 1)->cpu, Duration{5});
  auto later = this->reader();
  EXPECT_FALSE(later.read(kTarget, vm_, 1)) << "a new manager cannot tell which is which";
  EXPECT_FALSE(later.read(kNode, vm_, 1));
  fs::remove_all(root_ / "proc/20");
  EXPECT_EQ(later.read(kTarget, vm_, 1)->cpu, Duration{1});
}

TEST_F(VcpuReaderTest, ANumberThatAnotherVmsProcessHasNowIsNotItsOwn) {
  add_process("20", vm_);
  auto reader = this->reader();
  EXPECT_FALSE(reader.read(kNode, vm_, 1)) << "it has no vCPU yet";
  add_process("20", other_);
  add_thread("20", "21", "CPU 0/KVM", 5'000, 0, "vcpu0");
  EXPECT_FALSE(reader.read(kNode, vm_, 1));
}

TEST_F(VcpuReaderTest, TheCapIsReadFromTheGroupOfAVcpuInEitherVersion) {
  add_process("20", vm_);
  add_thread("20", "21", "CPU 0/KVM", 5'000, 2'000, "vcpu0");
  auto reader = this->reader();
  EXPECT_FALSE(reader.cap(kNode, vm_)) << "its counters have not been read";
  ASSERT_TRUE(reader.read(kNode, vm_, 1));
  EXPECT_FALSE(reader.cap(kNode, vm_)) << "the group has none";
  write("groups/cpu/20/vcpu0/cpu.cfs_quota_us", "-1\n");
  write("groups/cpu/20/vcpu0/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(reader.cap(kNode, vm_), (CpuCap{Duration{100'000}, Duration{-1}}));
  write("groups/cpu/20/vcpu0/cpu.cfs_quota_us", "25000\n");
  EXPECT_EQ(reader.cap(kNode, vm_), (CpuCap{Duration{100'000}, Duration{25'000}}));
  write("groups/cpu/20/vcpu0/cpu.max", "30000 100000\n");
  EXPECT_EQ(reader.cap(kNode, vm_), (CpuCap{Duration{100'000}, Duration{30'000}}));
  write("groups/cpu/20/vcpu0/cpu.max", "max 100000\n");
  EXPECT_EQ(reader.cap(kNode, vm_), (CpuCap{Duration{100'000}, Duration{-1}}));
}

TEST_F(VcpuReaderTest, WithoutControlGroupsItIsNotKnownForHowLongTheCapHeldItBack) {
  add_process("20", vm_);
  add_thread("20", "21", "CPU 0/KVM", 5'000, 2'000, "vcpu0");
  fs::remove_all(root_ / "groups");
  EXPECT_EQ(reader().read(kNode, vm_, 1), (VcpuCounters{1, Duration{5}, Duration{2}, std::nullopt}));
}

TEST_F(VcpuReaderTest, AVmThatIsNowhereIsUnknownAndSearchedForAFewTimes) {
  add_process("20", other_);
  auto reader = this->reader();
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(reader.read(kNode, vm_, 1));
  add_process("30", vm_);
  add_thread("30", "31", "CPU 0/KVM", 1'000, 0, "vcpu0");
  EXPECT_FALSE(reader.read(kNode, vm_, 1)) << "its process is not shown here: libvirt is asked";
  EXPECT_TRUE(reader.read(kNode, vm_, 2)) << "a new start is searched for anew";
}

TEST_F(VcpuReaderTest, ThreadsWhoseCountersCannotBeReadAreUnknown) {
  add_process("20", vm_);
  add_thread("20", "21", "CPU 0/KVM", 5'000, 2'000, "vcpu0");
  write("proc/20/task/21/schedstat", "5000\n");
  EXPECT_FALSE(reader().read(kNode, vm_, 1));
}

}  // namespace
}  // namespace aliquot
