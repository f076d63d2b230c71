// The modes of store and spool on disk, where they are new and where an earlier version left them
// open.
#include "manager/spool_access.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

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

TEST_F(SpoolAccess, TheGroupOfQemuCanPassThrough) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory to another group";
  settings_.hypervisor.qemu_group = "daemon";
  make_open_directories();
  ASSERT_TRUE(close_to_others(settings_));
  EXPECT_EQ(mode_of(settings_.state_dir), 0710U);
  EXPECT_EQ(mode_of(settings_.spool_dir), 02710U) << "what is made below inherits the group";
  EXPECT_EQ(mode_of(settings_.state_dir + "/aliquot.db"), 0600U) << "the store is not for QEMU";
}

TEST_F(SpoolAccess, AGroupThatIsNotThereIsNamed) {
  settings_.hypervisor.qemu_group = "no-such-group-here";
  const auto closed = close_to_others(settings_);
  ASSERT_FALSE(closed);
  EXPECT_NE(closed.error().message.find("no-such-group-here"), std::string::npos);
}

}  // namespace
}  // namespace aliquot
