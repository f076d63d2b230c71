// Archives that are handed over as files: where they are packed, what is in them, and that they go away.
#include "tools/ctl/packed_file.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <sstream>

#include "monitor/sha256.hpp"

namespace aliquot::ctl {
namespace {

namespace fs = std::filesystem;

class Packed : public testing::Test {
 protected:
  Packed() {
    char name[] = "/tmp/aliquot-packed-XXXXXX";
    folder_ = fs::canonical(mkdtemp(name));
    for (const char* each : {"tmp", "work", "home"}) fs::create_directories(folder_ / each);
    setenv("TMPDIR", (folder_ / "tmp").c_str(), 1);
    setenv("HOME", (folder_ / "home").c_str(), 1);
    before_ = fs::current_path();
    fs::current_path(folder_ / "work");
  }
  ~Packed() override {
    unsetenv("TMPDIR");
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  [[nodiscard]] Result<fs::path> directory(const std::vector<std::string>& below) const {
    std::vector<std::string> roots;
    for (const std::string& each : below) roots.push_back(folder_ / each);
    return packing_directory(roots, mebibytes(300));
  }

  fs::path folder_, before_;
};

TEST_F(Packed, StandBelowADirectoryFromWhichTheManagerTakesFiles) {
  EXPECT_EQ(directory({"home", "work", "tmp"}), folder_ / "tmp");
  EXPECT_EQ(directory({"home", "work"}), folder_ / "work");
  EXPECT_EQ(directory({"home"}), folder_ / "home");
  EXPECT_EQ(packing_directory({"/"}, {}), folder_ / "tmp");
  setenv("TMPDIR", (folder_ / "absent").c_str(), 1);
  EXPECT_EQ(directory({"absent", "work"}), folder_ / "work");
  fs::create_directory_symlink("work", folder_ / "link");
  setenv("TMPDIR", (folder_ / "link").c_str(), 1);
  EXPECT_EQ(directory({"link", "home"}), folder_ / "home") << "the manager follows no link out of a root";
  for (const std::vector<std::string>& roots : {std::vector<std::string>{"wor"}, {}}) {
    const auto none = directory(roots);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::refused);
    for (const char* part : {"take 300M", "api.max_request", "files.roots", "set TMPDIR", "image add"})
      EXPECT_NE(none.error().message.find(part), std::string::npos) << none.error().message;
  }
}

TEST_F(Packed, HaveTheHashOfTheirContentAndAreRemoved) {
  const std::vector<PackedEntry> entries{{"a", 0100644, std::string(3 << 20, 'x')}, {"b", 0120777, "a"}};
  std::string path;
  {
    const auto file = PackedFile::make(folder_, entries);
    ASSERT_TRUE(file) << file.error().message;
    path = file->path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms(0600));
    std::stringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    EXPECT_EQ(content.str(), *archive_in_memory(entries));
    EXPECT_EQ(file->sha256(), sha256_hex(content.str()));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Packed, AreRemovedWhenAnInputCannotBeReadAndWhenTheProgramIsEnded) {
  EXPECT_FALSE(PackedFile::make(folder_ / "tmp", {{"a", 0100644, {}, folder_ / "absent", 9}}));
  EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
  EXPECT_FALSE(PackedFile::make(folder_ / "absent", {{"a", 0100644, "x"}}));
  EXPECT_EXIT(
      {
        const auto file = PackedFile::make(folder_ / "tmp", {{"a", 0100644, "x"}});
        if (fs::exists(file->path())) raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
  EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
}

}  // namespace
}  // namespace aliquot::ctl
