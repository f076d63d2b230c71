// Input files: a directory is packed as it is, and nothing leads out of it.
#include "tools/ctl/staged_tree.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

#include "test/unit/tools/ctl/archive/newc_reader.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPlenty = 1 << 20;

class Staged : public testing::Test {
 protected:
  Staged() {
    char name[] = "/tmp/aliquot-staged-XXXXXX";
    folder_ = fs::canonical(mkdtemp(name));
    fs::create_directories(folder_ / "in/deep");
    write("in/deep/file", "text");
    write("outside", "secret");
  }
  ~Staged() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
  [[nodiscard]] std::map<std::string, ReadEntry> packed(const std::string& name) const {
    const auto tree = read_staged(folder_ / name, "/job", kPlenty);
    EXPECT_TRUE(tree) << tree.error().message;
    return tree ? read_newc(archive_in_memory(tree->entries).value()) : std::map<std::string, ReadEntry>{};
  }
  [[nodiscard]] ErrorKind refused(const std::string& name, std::size_t at_most = kPlenty) const {
    const auto tree = read_staged(folder_ / name, "/job", at_most);
    return tree ? ErrorKind::internal : tree.error().kind;
  }

  fs::path folder_;
};

TEST_F(Staged, ADirectoryStandsUnderItsNameInTheWorkingDirectory) {
  fs::create_symlink("deep/file", folder_ / "in/link");
  fs::create_symlink("..", folder_ / "in/deep/up");
  for (const char* name : {"in", "in/", "in/deep/.."}) {
    const auto entries = packed(name);
    EXPECT_EQ(entries.at("job/in/deep/file").content, "text") << name;
    EXPECT_EQ(entries.at("job/in/link").content, "deep/file");
    EXPECT_EQ(entries.at("job/in/deep/up").content, "..");
  }
}

TEST_F(Staged, ALinkThatIsNamedIsFollowedAndGivesItsName) {
  fs::create_symlink("in/deep", folder_ / "other");
  EXPECT_EQ(packed("other").at("job/other/file").content, "text");
  fs::create_symlink("outside", folder_ / "named");
  EXPECT_EQ(packed("named").at("job/named").content, "secret");
}

TEST_F(Staged, ALinkOutOfTheDirectoryIsRefused) {
  for (const fs::path& target : {fs::path("../outside"), fs::path(".."), folder_ / "outside",
                                 folder_ / "in/deep/file", fs::path("../in2"), fs::path("/etc/shadow")}) {
    fs::create_symlink(target, folder_ / "in/link");
    EXPECT_EQ(refused("in"), ErrorKind::refused) << target;
    fs::remove(folder_ / "in/link");
  }
  // By way of a link that stays inside itself.
  fs::create_symlink("deep", folder_ / "in/a");
  fs::create_symlink("a/../../outside", folder_ / "in/b");
  EXPECT_EQ(refused("in"), ErrorKind::refused);
}

TEST_F(Staged, WhatIsNoFileIsRefused) {
  ASSERT_EQ(::mkfifo((folder_ / "in/pipe").c_str(), 0600), 0);
  EXPECT_EQ(refused("in"), ErrorKind::refused);
  EXPECT_EQ(refused("in/pipe"), ErrorKind::refused);
  EXPECT_EQ(refused("absent"), ErrorKind::not_found);
  EXPECT_FALSE(read_staged("/", "/job", kPlenty));
}

TEST_F(Staged, PermissionsAreKeptButNotSetUserId) {
  ASSERT_EQ(::chmod((folder_ / "in/deep/file").c_str(), 06751), 0);
  EXPECT_EQ(packed("in").at("job/in/deep/file").mode, 0100751U);
}

TEST_F(Staged, SizesAreBounded) {
  write("in/large", std::string(5000, 'x'));
  EXPECT_EQ(refused("in", 5000), ErrorKind::too_large);
  EXPECT_EQ(refused("in/large", 4999), ErrorKind::too_large);
  fs::resize_file(folder_ / "in/large", std::uintmax_t{1} << 40);
  EXPECT_EQ(refused("in"), ErrorKind::too_large);
}

}  // namespace
}  // namespace aliquot
