// Result files: what the guest has sent is taken only whole, and nothing in it leads out of the directory.
#include "tools/ctl/results.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "manager/hypervisor/newc.hpp"
#include "monitor/sha256.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kFile = 0100644, kLink = 0120777, kDirectory = 0040755;

std::string sent(const std::vector<NewcEntry>& entries) {
  const std::string archive = newc_archive(entries);
  return archive + "aliquot-stage-out 1 sha256 " + sha256_hex(archive) + "\n";
}

ErrorKind refused(const std::string& bytes) {
  const auto entries = read_results(bytes);
  return entries ? ErrorKind::internal : entries.error().kind;
}

class Results : public testing::Test {
 protected:
  Results() {
    char name[] = "/tmp/aliquot-results-XXXXXX";
    folder_ = fs::canonical(mkdtemp(name));
  }
  ~Results() override { fs::remove_all(folder_); }

  Result<void> unpacked(const std::string& bytes, bool replace = false) {
    const auto entries = read_results(bytes);
    EXPECT_TRUE(entries) << entries.error().message;
    return unpack(*entries, folder_ / "to", replace);
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream file(folder_ / "to" / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

TEST_F(Results, AreUnpackedWithTheirDirectoriesAndLinks) {
  ASSERT_TRUE(
      unpacked(sent({{"a/b/file", kFile, "text"}, {"a/link", kLink, "b/file"}, {"up", kLink, "./a"}})));
  EXPECT_EQ(content("a/b/file"), "text");
  EXPECT_EQ(content("a/link"), "text");
  EXPECT_EQ(content("up/link"), "text");
}

// With the last of its names comes its content: as GNU cpio writes files with several names.
TEST_F(Results, OfSeveralNamesOfAFileAllHaveItsContent) {
  std::string archive = newc_archive({{"a", kFile, ""}, {"b", kFile, "text"}, {"c", kFile, ""}});
  for (const char* name : {"a", "b"}) {
    const std::size_t head = archive.find(std::string(name) + '\0') - 110;
    archive.replace(head + 6, 8, "0000002A");
    archive.replace(head + 6 + 4 * 8, 8, "00000002");
  }
  ASSERT_TRUE(unpacked(archive + "aliquot-stage-out 1 sha256 " + sha256_hex(archive) + "\n"));
  EXPECT_EQ(content("a") + content("b") + content("c"), "texttext");
}

TEST_F(Results, ReplaceNothingUnlessAskedTo) {
  ASSERT_TRUE(unpacked(sent({{"a", kFile, "old"}, {"b", kDirectory, ""}})));
  const auto again = unpacked(sent({{"c", kFile, "new"}, {"a", kFile, "new"}, {"b", kDirectory, ""}}));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::conflict);
  EXPECT_FALSE(fs::exists(folder_ / "to/c")) << "something was written";
  ASSERT_TRUE(unpacked(sent({{"a", kFile, "new"}}), true));
  EXPECT_EQ(content("a"), "new");
}

TEST_F(Results, HaveNoSetUserId) {
  ASSERT_TRUE(unpacked(sent({{"a", kFile | 06111, "x"}})));
  struct stat found {};
  ASSERT_EQ(::stat((folder_ / "to/a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07000, 0U);
}

TEST_F(Results, AreNotWrittenThroughALinkThatIsThereAlready) {
  fs::create_directories(folder_ / "to");
  fs::create_directories(folder_ / "elsewhere");
  fs::create_symlink(folder_ / "elsewhere", folder_ / "to/a");
  EXPECT_FALSE(unpacked(sent({{"a/file", kFile, "x"}}), true));
  EXPECT_TRUE(fs::is_empty(folder_ / "elsewhere"));
}

TEST(ResultEntries, MayNotLeadOut) {
  for (const char* path : {"../x", "a/../../x", "/x", "a//x", "a/", "./x", "..", "."})
    EXPECT_EQ(refused(sent({{path, kFile, "x"}})), ErrorKind::refused) << path;
  EXPECT_EQ(refused(sent({{"", kFile, "x"}})), ErrorKind::refused);
  EXPECT_EQ(refused(sent({{std::string("a\0b", 3), kFile, "x"}})), ErrorKind::refused);
  for (const char* target : {"/etc", "..", "b/..", "b/../x", ""})
    EXPECT_EQ(refused(sent({{"a", kLink, target}})), ErrorKind::refused) << target;
  EXPECT_EQ(refused(sent({{"a/b", kLink, "../.."}})), ErrorKind::refused);
  EXPECT_EQ(refused(sent({{"a", 0020666, ""}})), ErrorKind::refused);
  EXPECT_EQ(refused(sent({{"a", kFile, "x"}, {"a", kFile, "y"}})), ErrorKind::refused);
  EXPECT_TRUE(read_results(sent({{"a/b", kLink, ".."}, {"c", kLink, "a/b/c"}})));
}

TEST(ResultEntries, AreTakenOnlyWhole) {
  const std::string whole = sent({{"a", kFile, "content"}});
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_EQ(refused(whole.substr(0, size)), ErrorKind::conflict) << size;
  EXPECT_EQ(refused(""), ErrorKind::not_found);
  EXPECT_EQ(refused("aliquot-stage-out 1 too_large 7\n"), ErrorKind::too_large);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(read_results(damaged)) << at;
  }
}

// With a right checksum: an archive is cut at each byte, and each of its figures is the largest there is.
TEST(ResultEntries, SurviveAnyArchive) {
  const std::string archive = newc_archive({{"a", kFile, "content"}, {"b", kLink, "a"}});
  const auto with_sum = [](const std::string& bytes) {
    return bytes + "aliquot-stage-out 1 sha256 " + sha256_hex(bytes) + "\n";
  };
  for (std::size_t size = 0; size < 500; ++size) (void)read_results(with_sum(archive.substr(0, size)));
  for (std::size_t at = 6; at < 110; at += 8) {
    std::string large = archive;
    large.replace(at, 8, "FFFFFFFF");
    (void)read_results(with_sum(large));
    large.replace(at, 8, "zzzzzzzz");
    EXPECT_FALSE(read_results(with_sum(large)) && (at == 14 || at == 54 || at == 94)) << at;
  }
}

TEST(ResultEntries, SayWhatIsAbsent) {
  const std::string bytes = sent({{"out/file", kFile, "x"}, {"tmp/x", kFile, "y"}});
  const auto entries = read_results(bytes);
  ASSERT_TRUE(entries);
  EXPECT_EQ(absent({"./out", "/tmp/x", ".", "out/file/", "ou", "x"}, *entries),
            (std::vector<std::string>{"ou", "x"}));
}

}  // namespace
}  // namespace aliquot
