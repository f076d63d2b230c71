// Whose memory a node keeps, and that no image of an earlier time is ever taken for it.
#include "manager/hypervisor/local_saves.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "manager/hypervisor/task_files.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

const VmIdentity kVm{"c", {7}, 0, 2, 1};

class LocalSavesTest : public testing::Test {
 protected:
  LocalSavesTest() : base_(fs::temp_directory_path() / ("aliquot-saves-" + std::to_string(::getpid()))) {
    for (const char* made : {"spool/7", "disk1", "disk2"}) fs::create_directories(base_ / made);
    put(base_ / "spool/cluster.id", "c\n");
  }
  ~LocalSavesTest() override { fs::remove_all(base_); }

  static void put(const fs::path& path, const std::string& content) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  [[nodiscard]] Spool node(const std::string& disk) const {
    return Spool(base_ / "spool", open_local_saves(base_ / disk, base_ / "spool").value());
  }
  [[nodiscard]] Spool manager() const { return Spool(base_ / "spool"); }

  const fs::path base_;
};

TEST_F(LocalSavesTest, are_in_a_directory_of_the_node_and_not_of_the_spool) {
  const auto open = [this](const std::string& directory) {
    return open_local_saves(directory, base_ / "spool");
  };
  const auto opened = open(base_ / "disk1");
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(open(base_ / "disk1")->id, opened->id) << "the id stays";
  EXPECT_NE(open(base_ / "disk2")->id, opened->id);
  EXPECT_EQ(open("disk1").error().kind, ErrorKind::refused) << "a relative path";
  EXPECT_EQ(open(base_ / "disk3").error().kind, ErrorKind::refused) << "no such directory";
  EXPECT_NE(open(base_ / "spool").error().message.find("inside of the spool"), std::string::npos);
  EXPECT_EQ(open(base_ / "spool/7").error().kind, ErrorKind::refused);
  fs::create_directory_symlink(base_ / "spool/7", base_ / "disk4");
  EXPECT_EQ(open(base_ / "disk4").error().kind, ErrorKind::refused) << "by another name";
  put(base_ / "disk5/saves.id", "");
  EXPECT_EQ(open(base_ / "disk5").error().kind, ErrorKind::refused);
}

TEST_F(LocalSavesTest, have_images_of_paused_vms_and_the_spool_has_all_else) {
  const Spool here = node("disk1");
  EXPECT_EQ(here.image({7}, 0), base_ / "disk1/7/0.save");
  EXPECT_EQ(here.image_part({7}, 0), base_ / "disk1/7/0.save.part");
  EXPECT_EQ(here.shared().image({7}, 0), base_ / "spool/7/0.save");
  EXPECT_EQ(here.overlay({7}, 0), base_ / "spool/7/0.qcow2");
  EXPECT_EQ(here.console({7}, 0), base_ / "spool/7/0.log");
}

TEST_F(LocalSavesTest, keep_a_vm_from_its_save_on_until_its_mark_is_removed_on_whatever_node) {
  const Spool here = node("disk1"), there = node("disk2");
  EXPECT_EQ(keeper_of(here, kVm).value(), Keeper::none);
  ASSERT_TRUE(mark_kept(here, kVm));
  EXPECT_TRUE(fs::is_directory(base_ / "disk1/7"));
  EXPECT_EQ(keeper_of(here, kVm).value(), Keeper::here);
  EXPECT_EQ(keeper_of(node("disk1"), kVm).value(), Keeper::here) << "another agent of the same disk";
  EXPECT_EQ(keeper_of(there, kVm).value(), Keeper::other_node);
  EXPECT_EQ(keeper_of(manager(), kVm).value(), Keeper::other_node);
  VmIdentity anew = kVm;
  ++anew.incarnation;
  EXPECT_EQ(keeper_of(here, anew).value(), Keeper::none);
  ASSERT_TRUE(remove_images(there, {7}, 0));
  EXPECT_EQ(keeper_of(here, kVm).value(), Keeper::none);
}

TEST_F(LocalSavesTest, are_given_up_by_their_own_node_alone) {
  const Spool here = node("disk1"), there = node("disk2");
  ASSERT_TRUE(mark_kept(here, kVm));
  give_up_kept(there, kVm);
  give_up_kept(manager(), kVm);
  EXPECT_EQ(keeper_of(here, kVm).value(), Keeper::here);
  give_up_kept(here, kVm);
  EXPECT_EQ(keeper_of(here, kVm).value(), Keeper::none);
}

TEST_F(LocalSavesTest, are_not_touched_while_their_disk_is_not_mounted) {
  const Spool here = node("disk1");
  ASSERT_TRUE(mark_kept(here, kVm));
  fs::rename(base_ / "disk1", base_ / "away");
  fs::create_directories(base_ / "disk1");
  EXPECT_EQ(keeper_of(here, kVm).error().kind, ErrorKind::unavailable);
  EXPECT_EQ(mark_kept(here, kVm).error().kind, ErrorKind::unavailable);
  EXPECT_EQ(keeper_of(node("disk1"), kVm).value(), Keeper::other_node) << "an empty disk keeps nothing";
}

TEST_F(LocalSavesTest, whose_mark_is_damaged_are_neither_kept_nor_given_up) {
  put(manager().kept_mark({7}, 0), "nonsense");
  EXPECT_EQ(keeper_of(node("disk1"), kVm).error().kind, ErrorKind::unavailable);
}

TEST_F(LocalSavesTest, lose_both_images_with_the_mark) {
  const Spool here = node("disk1");
  ASSERT_TRUE(mark_kept(here, kVm));
  for (const Spool& place : {here, here.shared()}) {
    put(place.image({7}, 0), "image");
    put(place.image_part({7}, 0), "part");
  }
  ASSERT_TRUE(remove_images(here, {7}, 0));
  EXPECT_TRUE(fs::is_empty(base_ / "disk1/7"));
  EXPECT_TRUE(fs::is_empty(base_ / "spool/7"));
}

TEST_F(LocalSavesTest, of_an_ended_job_go_with_its_leftovers) {
  const Spool here = node("disk1");
  ASSERT_TRUE(mark_kept(here, kVm));
  put(here.image({7}, 0), "image");
  put(here.image({8}, 0), "of another job");
  remove_leftovers(here, {7});
  EXPECT_FALSE(fs::exists(base_ / "disk1/7"));
  EXPECT_FALSE(fs::exists(here.kept_mark({7}, 0)));
  EXPECT_TRUE(fs::exists(here.image({8}, 0)));
}

TEST_F(LocalSavesTest, without_a_mark_are_of_an_earlier_time_and_are_removed) {
  const Spool here = node("disk1"), there = node("disk2");
  ASSERT_TRUE(mark_kept(here, kVm));
  VmIdentity gone = kVm, moved = kVm;
  gone.task = 1;
  moved.task = 2;
  ASSERT_TRUE(mark_kept(there, moved));
  for (std::uint32_t task = 0; task < 3; ++task) put(here.image({7}, task), "image");
  put(here.image_part({8}, 0), "of a job that has ended");
  put(base_ / "disk1/notes/0.save", "not ours");
  remove_outdated_saves(here, "another cluster");
  EXPECT_TRUE(fs::exists(here.image({7}, 1))) << "this may not be its spool";
  remove_outdated_saves(here, "c");
  EXPECT_TRUE(fs::exists(here.image({7}, 0)));
  EXPECT_FALSE(fs::exists(here.image({7}, 1)));
  EXPECT_FALSE(fs::exists(here.image({7}, 2))) << "it is kept by another node by now";
  EXPECT_FALSE(fs::exists(base_ / "disk1/8"));
  EXPECT_TRUE(fs::exists(base_ / "disk1/notes/0.save"));
  EXPECT_EQ(keeper_of(here, kVm).value(), Keeper::here);
}

}  // namespace
}  // namespace aliquot
