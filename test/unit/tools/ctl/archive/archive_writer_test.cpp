// An archive is written of its files piece by piece, as one that is made in memory.
#include "tools/ctl/archive_writer.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "manager/hypervisor/newc.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

class ArchiveWriter : public testing::Test {
 protected:
  ArchiveWriter() {
    char name[] = "/tmp/aliquot-writer-XXXXXX";
    folder_ = mkdtemp(name);
    std::ofstream(folder_ / "file", std::ios::binary) << content_;
  }
  ~ArchiveWriter() override { fs::remove_all(folder_); }

  [[nodiscard]] std::vector<PackedEntry> entries() const {
    return {{"a/deep/link", 0120777, "../../b"},
            {"b", 0100640, {}, folder_ / "file", content_.size()},
            {"c", 0100644, "text"}};
  }

  fs::path folder_;
  std::string content_ = std::string((1 << 20) + 1, 'x') + "end";
};

TEST_F(ArchiveWriter, HasTheBytesOfAnArchiveInMemoryAndTheSizeThatWasSaid) {
  const std::string expected =
      newc_archive({{"a/deep/link", 0120777, "../../b"}, {"b", 0100640, content_}, {"c", 0100644, "text"}});
  std::size_t largest = 0, size = 0;
  ASSERT_TRUE(write_archive(entries(), [&](std::string_view bytes) -> Result<void> {
    largest = std::max(largest, bytes.size());
    size += bytes.size();
    return {};
  }));
  EXPECT_LE(largest, std::size_t{1} << 20) << "a file is in memory as a whole";
  EXPECT_EQ(size, expected.size());
  EXPECT_EQ(archive_size(entries()).raw, static_cast<std::int64_t>(expected.size()));
  EXPECT_EQ(archive_in_memory(entries()), expected);
  EXPECT_EQ(archive_in_memory({}), "");
  EXPECT_EQ(archive_size({}), Memory{});
}

TEST_F(ArchiveWriter, OfAFileThatGrewHasWhatItHadAndOfOneThatWasCutNothing) {
  const auto before = entries();
  const auto expected = archive_in_memory(before);
  std::ofstream(folder_ / "file", std::ios::app) << "more";
  EXPECT_EQ(archive_in_memory(before), expected);
  fs::resize_file(folder_ / "file", 10);
  EXPECT_EQ(archive_in_memory(before).error().kind, ErrorKind::conflict);
  fs::remove(folder_ / "file");
  EXPECT_EQ(archive_in_memory(before).error().kind, ErrorKind::not_found);
}

TEST_F(ArchiveWriter, StopsWhereTheSinkDoes) {
  int calls = 0;
  const auto written = write_archive(entries(), [&](std::string_view) -> Result<void> {
    return ++calls == 3 ? fail(ErrorKind::no_space, "full") : Result<void>();
  });
  EXPECT_EQ(written.error().kind, ErrorKind::no_space);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace aliquot
