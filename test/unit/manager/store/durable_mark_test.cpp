// A store that ends before an acknowledged step is refused and left as it is; one that a power failure cut
// off is not.
#include "manager/store/durable_mark.hpp"

#include <fstream>

#include "manager/store/backup.hpp"
#include "manager/store/maintenance.hpp"
#include "test/unit/manager/store/child.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot::test {
namespace {

// Appends one step at a time and ends without closing the store: its write-ahead log stays.
std::string die_after(const std::string& path, std::uint64_t steps) {
  return in_child([&] {
    OpenStore open(path);
    for (std::uint64_t step = 1; step <= steps; ++step) {
      open.append(step, step);
      if (auto failed = open.wait_until_durable(step); !failed.empty()) return failed;
    }
    _exit(0);
    return std::string();
  });
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void flip_a_bit(const std::string& path, double place) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto at =
      static_cast<std::streamoff>(place * static_cast<double>(std::filesystem::file_size(path)));
  file.seekg(at);
  const char byte = static_cast<char>(file.get() ^ 4);
  file.seekp(at);
  file.put(byte);
}

class DamagedLog : public testing::Test {
 protected:
  DamagedLog() {
    EXPECT_EQ(die_after(path_, kSteps), "");
    flip_a_bit(path_ + "-wal", 0.3);
  }
  static constexpr std::uint64_t kSteps = 60;
  const TemporaryDirectory directory_;
  const std::string path_ = directory_.file("s.db");
};

TEST_F(DamagedLog, OneFlippedBitIsRefusedAtEveryStartAndChangesNothing) {
  const std::string log = bytes_of(path_ + "-wal");
  for (int start = 0; start < 2; ++start) {
    SqliteStore store(path_);
    const auto recovered = store.recover();
    ASSERT_FALSE(recovered) << "it was believed";
    EXPECT_EQ(recovered.error().kind, ErrorKind::refused);
    EXPECT_NE(recovered.error().message.find("but step 60 was acknowledged"), std::string::npos)
        << recovered.error().message;
  }
  EXPECT_EQ(bytes_of(path_ + "-wal"), log);
}

TEST_F(DamagedLog, TheCheckNamesIt) {
  const auto check = check_store(path_);
  ASSERT_TRUE(check) << check.error().message;
  ASSERT_FALSE(check->problems.empty());
  EXPECT_NE(check->problems.back().find("step 60"), std::string::npos) << check->problems.back();
}

TEST_F(DamagedLog, WhatIsLeftCanBeRestored) {
  ASSERT_TRUE(back_up_store(path_, directory_.file("left.db")));
  const auto aside = restore_store(directory_.file("left.db"), path_);
  ASSERT_TRUE(aside) << aside.error().message;
  EXPECT_TRUE(std::filesystem::exists(*aside + "-wal")) << "the damaged log is kept";
  const OpenStore open(path_);
  ASSERT_TRUE(open.recovered) << open.recovered.error().message;
  EXPECT_LT(open.recovered->steps.size(), kSteps);
}

TEST(DurableMark, ADeathBetweenCommitAndMarkIsNoDamage) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  ASSERT_EQ(die_after(path, 20), "");
  const std::string mark = bytes_of(durable_mark_of(path));
  {
    OpenStore open(path);
    open.append(21, 30);
    ASSERT_EQ(open.wait_until_durable(30), "");
  }
  // As after a power failure that the mark did not survive to the last second.
  std::ofstream(durable_mark_of(path), std::ios::binary) << mark;
  {
    const OpenStore open(path);
    ASSERT_TRUE(open.recovered) << open.recovered.error().message;
  }
  for (const std::string& torn : {std::string(), mark.substr(0, 100), std::string(5000, 'x')}) {
    std::ofstream(durable_mark_of(path), std::ios::binary) << torn;
    const OpenStore open(path);
    ASSERT_TRUE(open.recovered) << open.recovered.error().message;
    EXPECT_EQ(open.recovered->steps.size(), 30U);
  }
}

TEST(Backup, OfAStoreInUseHoldsAllThatIsDurable) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  OpenStore open(path);
  open.append(1, 25);
  ASSERT_EQ(open.wait_until_durable(25), "");
  const auto made = back_up_store(path, directory.file("b.db"));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(back_up_store(path, directory.file("b.db")).error().kind, ErrorKind::conflict);
  EXPECT_EQ(restore_store(directory.file("b.db"), path).error().kind, ErrorKind::conflict);
  const auto check = check_store(directory.file("b.db"));
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_EQ(check->problems, std::vector<std::string>{});
  EXPECT_EQ(check->last_step, 25U);
  const auto mode = std::filesystem::status(directory.file("b.db")).permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(Backup, RestoredIsTheStoreOfThatTimeAndTheOtherIsKept) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  std::string cluster;
  {
    OpenStore open(path);
    cluster = open.recovered->cluster_id;
    open.append(1, 10);
    ASSERT_EQ(open.wait_until_durable(10), "");
    ASSERT_TRUE(back_up_store(path, directory.file("b.db")));
    open.append(11, 20);
    ASSERT_EQ(open.wait_until_durable(20), "");
  }
  const auto aside = restore_store(directory.file("b.db"), path);
  ASSERT_TRUE(aside) << aside.error().message;
  EXPECT_EQ(check_store(*aside)->last_step, 20U);
  const OpenStore open(path);
  ASSERT_TRUE(open.recovered) << open.recovered.error().message;
  EXPECT_EQ(open.recovered->steps.size(), 10U);
  EXPECT_EQ(open.recovered->cluster_id, cluster);
}

TEST(Backup, ADamagedOneIsNotRestored) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  {
    const OpenStore open(path);
    open.append(1, 300);
  }
  std::filesystem::copy_file(path, directory.file("b.db"));
  std::filesystem::resize_file(directory.file("b.db"), std::filesystem::file_size(path) / 2);
  EXPECT_FALSE(restore_store(directory.file("b.db"), path));
  EXPECT_EQ(check_store(path)->last_step, 300U);
}

}  // namespace
}  // namespace aliquot::test
