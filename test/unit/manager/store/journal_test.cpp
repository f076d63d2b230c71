// The journal: every step a line, rotation, and what happens when the disk does not take it.
#include "monitor/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "monitor/codec_step.hpp"
#include "test/unit/manager/store/child.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot::test {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(Journal, HoldsEveryStepAsALine) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("j.jsonl");
  for (std::uint64_t from : {1, 51}) {  // the second time it is appended to
    const auto journal = Journal::open(path, Journal::WhenFull::drop);
    ASSERT_TRUE(journal) << journal.error().message;
    for (auto number = from; number < from + 50; ++number) (*journal)->on_durable(step_numbered(number));
  }
  const auto lines = lines_of(path);
  ASSERT_EQ(lines.size(), 100U);
  for (std::uint64_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(same(decode_step(lines[i]).value(), step_numbered(i + 1)));
  }
}

TEST(Journal, GoesOnInANewFileAfterRotation) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("j.jsonl");
  const auto journal = Journal::open(path, Journal::WhenFull::drop);
  (*journal)->on_durable(step_numbered(1));
  (*journal)->flush();
  std::filesystem::rename(path, path + ".1");
  (*journal)->on_durable(step_numbered(2));
  (*journal)->flush();
  (*journal)->reopen();
  (*journal)->flush();
  (*journal)->on_durable(step_numbered(3));
  (*journal)->flush();
  EXPECT_EQ(lines_of(path + ".1").size(), 2U);
  ASSERT_EQ(lines_of(path).size(), 1U);
  EXPECT_EQ(decode_step(lines_of(path)[0])->number, 3U);
}

TEST(Journal, ASimulatorsWaitsAndLosesNothing) {
  const TemporaryDirectory directory;
  {
    const auto journal = Journal::open(directory.file("j"), Journal::WhenFull::wait, 3);
    for (std::uint64_t number = 1; number <= 500; ++number) (*journal)->on_durable(step_numbered(number));
  }
  EXPECT_EQ(lines_of(directory.file("j")).size(), 500U);
}

// A pipe without a reader simulates a disk that does not answer.
TEST(Journal, ALiveOneDropsAndCountsRatherThanWait) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  auto journal = Journal::open(path, Journal::WhenFull::drop, 10);
  ASSERT_TRUE(journal);
  Step step;
  step.events.push_back(PolicyChanged{std::string(100'000, 'p')});  // more than a pipe holds
  for (step.number = 1; step.number <= 20; ++step.number) (*journal)->on_durable(step);
  const auto status = (*journal)->status();
  EXPECT_GE(status.lost, 14U);  // of two items each, five wait and one is being written
  // The pipe is read again: the waiting steps are written.
  std::thread drain([&] {
    std::vector<char> buffer(1 << 16);
    while ((*journal)->status().written + status.lost < 20) {
      if (read(reader, buffer.data(), buffer.size()) <= 0) std::this_thread::yield();
    }
  });
  (*journal)->flush();
  drain.join();
  EXPECT_EQ((*journal)->status().written + (*journal)->status().lost, 20U);
  close(reader);
}

TEST(Journal, CountsWhatAFullDiskRefuses) {
  const auto journal = Journal::open("/dev/full", Journal::WhenFull::drop);
  ASSERT_TRUE(journal);
  (*journal)->on_durable(step_numbered(1));
  (*journal)->flush();
  EXPECT_EQ((*journal)->status().lost, 1U);
  EXPECT_NE((*journal)->status().trouble.find("No space left"), std::string::npos);
}

std::string tear_a_line(const std::string& directory) {
  if (auto skip = mount_tmpfs(directory, "size=64k"); !skip.empty()) return skip;
  const std::string path = directory + "/j";
  auto journal = Journal::open(path, Journal::WhenFull::drop).value();
  Step step;
  step.events.push_back(PolicyChanged{std::string(100'000, 'p')});
  journal->on_durable(step);  // a part of it fits
  journal->flush();
  if (journal->status().lost != 1) return "a line larger than the disk was written";
  if (mount("aliquot-test", directory.c_str(), "tmpfs", MS_REMOUNT, "size=1m") != 0) return "no remount";
  journal->on_durable(step_numbered(2));
  journal->flush();
  const auto lines = lines_of(path);
  if (lines.size() != 2) return "lines: " + std::to_string(lines.size());
  return decode_step(lines[1]) ? "" : "the line after the torn one does not decode";
}

TEST(Journal, ATornLineCostsOnlyItself) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.file("small"));
  const std::string said = in_child([&] { return tear_a_line(directory.file("small")); });
  if (said.starts_with("skip: ")) GTEST_SKIP() << said;
  EXPECT_EQ(said, "");
}

TEST(Journal, SaysWhyItCannotBeOpened) {
  const auto journal = Journal::open("/nonexistent/j", Journal::WhenFull::drop);
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().kind, ErrorKind::unavailable);
}

}  // namespace
}  // namespace aliquot::test
