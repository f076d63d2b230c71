// The audit log: it goes on over restarts and files, and every change to it is found.
#include "monitor/audit/audit_log.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace aliquot::audit {
namespace {

namespace fs = std::filesystem;

Record record(int number) {
  Record made;
  made.unix_us = 1'700'000'000'000'000 + number;
  made.uid = 1000;
  made.pid = 7;
  made.method = "cancel";
  made.object = "job " + std::to_string(number);
  made.code = "ok";
  return made;
}

std::string contents(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class Audit : public testing::Test {
 protected:
  ~Audit() override { fs::remove_all(directory_); }
  // So many records, then the manager ends; the newest line.
  Head writes(int count, Limits limits = {}) const {
    auto log = AuditLog::open(log_, limits).value();
    for (int i = 1; i <= count; ++i) {
      log->note(record(i));
      if (i % 4 == 0) log->flush();
    }
    log->flush();
    return log->head();
  }
  [[nodiscard]] std::string file() const { return files_in(log_).back(); }
  // Changes the text of a file of five lines, and expects that to be found.
  void expect_found(const std::string& what, const std::string& text,
                    const std::optional<Head>& known = {}) {
    const std::string before = contents(file());
    std::ofstream(file()) << text;
    const auto found = verify(log_, known);
    EXPECT_FALSE(found) << what;
    if (!found) {
      EXPECT_EQ(found.error().kind, ErrorKind::conflict) << what;
    }
    std::ofstream(file()) << before;
    EXPECT_TRUE(verify(log_, known));
  }

  std::string directory_ = (fs::temp_directory_path() / "aliquot-audit-XXXXXX").string();
  const std::string log_ = std::string(mkdtemp(directory_.data())) + "/audit";
};

TEST_F(Audit, GoesOnOverRestartsAndFiles) {
  EXPECT_EQ(writes(3).line, 3U);
  const Head head = writes(20, {.file_bytes = 1000});
  EXPECT_EQ(head.line, 23U);
  EXPECT_GT(files_in(log_).size(), 2U);
  std::vector<std::string> lines;
  const auto found = verify(log_, head, [&](const std::string& line) { lines.push_back(line); });
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->first, 1U);
  EXPECT_EQ(found->head, head);
  ASSERT_EQ(lines.size(), 23U);
  EXPECT_NE(lines[22].find(R"("object":"job 20")"), std::string::npos) << lines[22];
  struct stat about {};
  ASSERT_EQ(stat(log_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700U);
  // Older files may be put away.
  fs::remove(files_in(log_).front());
  EXPECT_GT(verify(log_, head)->first, 1U);
}

TEST_F(Audit, EveryChangedByteIsFound) {
  const Head head = writes(5);
  const std::string good = contents(file());
  for (std::size_t at = 0; at < good.size(); at += 3) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    expect_found("byte " + std::to_string(at), bad, head);
  }
}

TEST_F(Audit, RemovedAddedAndExchangedLinesAreFound) {
  writes(5);
  const std::string good = contents(file());
  std::vector<std::string> lines;
  std::istringstream in(good);
  for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
  const auto joined = [](const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& line : all) text += line;
    return text;
  };
  std::vector<std::string> removed = lines, doubled = lines, exchanged = lines;
  removed.erase(removed.begin() + 2);
  doubled.insert(doubled.begin() + 2, lines[2]);
  std::swap(exchanged[1], exchanged[2]);
  expect_found("removed", joined(removed));
  expect_found("doubled", joined(doubled));
  expect_found("exchanged", joined(exchanged));
  expect_found("half a line", good.substr(0, good.size() - 5));
}

TEST_F(Audit, ACutEndIsFoundByWhoeverKnowsItsHash) {
  const Head head = writes(5);
  const std::string good = contents(file());
  const std::string cut = good.substr(0, good.rfind('\n', good.size() - 2) + 1);
  expect_found("cut", cut, head);
  std::ofstream(file()) << cut;
  EXPECT_TRUE(verify(log_, {})) << "without its hash, nobody can tell";
  // A log that was cut and has grown since is another one.
  writes(3);
  EXPECT_FALSE(verify(log_, head));
}

TEST_F(Audit, AnIncompleteLineOfACrashIsCutOffAndSaid) {
  writes(3);
  std::ofstream(file(), std::ios::app) << R"({"line":4,"at")";
  const Head head = writes(1);
  const auto found = verify(log_, head);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(head.line, 5U);
  EXPECT_NE(contents(file()).find("14 bytes of an incomplete line"), std::string::npos);
}

TEST_F(Audit, WhatFindsNoPlaceIsCounted) {
  auto log = AuditLog::open(log_, {.waiting = 10}).value();
  for (int i = 0; i < 100; ++i) log->note(record(i));
  EXPECT_GT(log->lost(), 0U);
  const auto lost = log->lost();
  log->flush();
  log->note(record(0));
  log->flush();
  EXPECT_NE(contents(file()).find(std::to_string(lost) + " records found no place"), std::string::npos);
  EXPECT_TRUE(verify(log_, log->head()));
}

TEST_F(Audit, AnUnusableDirectoryIsAnError) {
  auto log = AuditLog::open(log_).value();
  log->note(record(1));
  log->flush();
  EXPECT_EQ(log->trouble(), "");
  EXPECT_FALSE(AuditLog::open("/proc/no-such-place/audit"));
  EXPECT_EQ(verify(directory_ + "/nothing", {}).error().kind, ErrorKind::not_found);
}

TEST(AuditHead, IsAWord) {
  const Head head{12, std::string(64, 'a')};
  EXPECT_EQ(parse_head(to_text(head)), head);
  for (const char* bad : {"", "12", "12:", ":aa", "x:aa", "12:zz"}) EXPECT_FALSE(parse_head(bad)) << bad;
}

}  // namespace
}  // namespace aliquot::audit
