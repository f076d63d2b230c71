// The modes of store and spool on disk, where they are new and where an earlier version left them
// open.
#include "manager/spool_access.hpp"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "test/unit/manager/store/fixture.hpp"

namespace aliquot {
namespace {

class SpoolAccess : public testing::Test {
 protected:
  SpoolAccess() : umask_(::umask(0022)) {
    settings_.state_dir = directory_.file("state");
    settings_.spool_dir = directory_.file("state/spool");
    settings_.hypervisor.qemu_group = "";
  }
  ~SpoolAccess() override { ::umask(umask_); }

  static mode_t mode_of(const std::string& path) {
    struct stat found {};
    EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
    return found.st_mode & 07777;
  }
  void make_open_directories() {
    for (const std::string& path : {settings_.state_dir, settings_.spool_dir}) {
      ASSERT_EQ(::mkdir(path.c_str(), 0755), 0);
      ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
    }
    std::ofstream(settings_.state_dir + "/aliquot.db") << "jobs";
  }

  test::TemporaryDirectory directory_;
  mode_t umask_;
  Settings settings_;
};

TEST_F(SpoolAccess, WhatAnEarlierVersionLeftOpenIsClosed) {
  make_open_directories();
  ASSERT_TRUE(close_to_others(settings_));
  EXPECT_EQ(mode_of(settings_.state_dir), 0700U);
  EXPECT_EQ(mode_of(settings_.spool_dir), 0700U);
  EXPECT_EQ(mode_of(settings_.state_dir + "/aliquot.db"), 0600U);
  std::ofstream(settings_.spool_dir + "/later") << "made later";
  EXPECT_EQ(mode_of(settings_.spool_dir + "/later"), 0600U) << "by the umask";
}

TEST_F(SpoolAccess, NewDirectoriesAreClosed) {
  ASSERT_TRUE(close_to_others(settings_));
  EXPECT_EQ(mode_of(settings_.state_dir), 0700U);
  EXPECT_EQ(mode_of(settings_.spool_dir), 0700U);
}

// As a unit does whose CapabilityBoundingSet lacks it.
void give_up_fsetid() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  ASSERT_EQ(::syscall(SYS_capget, &header, data), 0);
  data[0].effective &= ~(1U << CAP_FSETID);
  ASSERT_EQ(::syscall(SYS_capset, &header, data), 0);
}

// The thread alone gives it up.
TEST_F(SpoolAccess, AManagerThatCannotSetTheGroupBitSaysSo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory to another group";
  settings_.hypervisor.qemu_group = "daemon";
  Result<void> closed;
  std::thread([&] {
    give_up_fsetid();
    closed = close_to_others(settings_);
  }).join();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().kind, ErrorKind::unavailable);
  EXPECT_NE(closed.error().message.find("CAP_FSETID"), std::string::npos) << closed.error().message;
}

TEST_F(SpoolAccess, TheGroupOfQemuCanPassThrough) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory to another group";
  settings_.hypervisor.qemu_group = "daemon";
  make_open_directories();
  ASSERT_TRUE(close_to_others(settings_));
  EXPECT_EQ(mode_of(settings_.state_dir), 0710U);
  EXPECT_EQ(mode_of(settings_.spool_dir), 02710U) << "what is made below inherits the group";
  EXPECT_EQ(mode_of(settings_.state_dir + "/aliquot.db"), 0600U) << "the store is not for QEMU";
}

// A unit with StateDirectory= gives the tree to root at each start and reload.
TEST_F(SpoolAccess, WhatStandsInTheSpoolGoesToTheGroupOfQemuToo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory to another group";
  settings_.hypervisor.qemu_group = "daemon";
  make_open_directories();
  const std::string content = settings_.spool_dir + "/content", elsewhere = directory_.file("elsewhere");
  ASSERT_EQ(::mkdir(content.c_str(), 0710), 0);
  std::ofstream(content + "/kernel") << "kernel";
  std::ofstream(elsewhere) << "no part of the spool";
  ASSERT_EQ(::symlink(elsewhere.c_str(), (content + "/link").c_str()), 0);
  ASSERT_TRUE(close_to_others(settings_));
  struct stat spool {
  }, kernel{}, beyond{};
  ASSERT_EQ(::stat(settings_.spool_dir.c_str(), &spool), 0);
  ASSERT_EQ(::stat((content + "/kernel").c_str(), &kernel), 0);
  ASSERT_EQ(::stat(elsewhere.c_str(), &beyond), 0);
  EXPECT_EQ(kernel.st_gid, spool.st_gid);
  EXPECT_EQ(mode_of(content), 02710U) << "what is made in it later inherits the group";
  EXPECT_EQ(beyond.st_gid, ::getegid()) << "links are not followed";
}

TEST_F(SpoolAccess, AGroupThatIsNotThereIsNamed) {
  settings_.hypervisor.qemu_group = "no-such-group-here";
  const auto closed = close_to_others(settings_);
  ASSERT_FALSE(closed);
  EXPECT_NE(closed.error().message.find("no-such-group-here"), std::string::npos);
}

}  // namespace
}  // namespace aliquot
